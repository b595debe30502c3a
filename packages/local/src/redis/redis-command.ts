import { connect } from 'node:net';

/** Sends one inline command, such as PING, to a local Redis, without a client library. @returns its raw reply */
export function sendRedisCommand(port: number, command: string, timeoutMs = 500): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    let reply = '';
    socket.setTimeout(timeoutMs, () =>
      socket.destroy(new Error(`the Redis at port ${port} did not reply within ${timeoutMs} ms`)),
    );
    socket.on('connect', () => socket.end(`${command}\r\nQUIT\r\n`));
    socket.on('data', (chunk) => {
      reply += String(chunk);
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(reply));
  });
}

/** Whether the Redis at this port has its files in this folder; also true while it loads them. */
export async function hasFilesIn(folder: string, port: number): Promise<boolean> {
  const reply = await sendRedisCommand(port, 'CONFIG GET dir').catch(() => '');
  return reply.split('\r\n').includes(folder);
}

/** Whether that Redis has loaded its files and accepts commands. */
export async function answersPing(port: number): Promise<boolean> {
  const reply = await sendRedisCommand(port, 'PING').catch(() => '');
  return reply.startsWith('+PONG');
}
