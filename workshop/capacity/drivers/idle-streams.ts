import { Agent, type IncomingMessage, request } from 'node:http';

/** Opens so many streams, each on a task of its own, says `subscribed`, and stays. Usage: idle-streams.ts <url> <count> */
const [url = '', count = '0'] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const TOGETHER = 50;

function open(): Promise<void> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'wait' }] };
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream', 'a2a-version': '1.0' };
  const sent = request(`${url}/message:stream`, { method: 'POST', agent, headers }, (response: IncomingMessage) => {
    response.on('data', () => resolve());
  });
  sent.on('error', reject);
  sent.end(JSON.stringify({ message }));
  return promise;
}

for (let opened = 0; opened < Number(count); opened += TOGETHER)
  await Promise.all(Array.from({ length: Math.min(TOGETHER, Number(count) - opened) }, open));
process.stdout.write('subscribed\n');
