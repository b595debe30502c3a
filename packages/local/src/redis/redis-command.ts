import { connect } from 'node:net';

/**
 * One inline command to a Redis of this machine, its raw reply: enough to ask PING or INFO without a client library.
 */
export function sendRedisCommand(port: number, command: string, timeoutMs = 500): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    let reply = '';
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    socket.on('connect', () => socket.end(`${command}\r\nQUIT\r\n`));
    socket.on('data', (chunk) => {
      reply += String(chunk);
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(reply));
  });
}

/** Whether the Redis at this port keeps its files in this folder, be it still loading them. */
export async function keepsFilesIn(folder: string, port: number): Promise<boolean> {
  const reply = await sendRedisCommand(port, 'CONFIG GET dir').catch(() => '');
  return reply.split('\r\n').includes(folder);
}

/** Whether that Redis has loaded its files and takes commands. */
export async function answersPing(port: number): Promise<boolean> {
  const reply = await sendRedisCommand(port, 'PING').catch(() => '');
  return reply.startsWith('+PONG');
}
