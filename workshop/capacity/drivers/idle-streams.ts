import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { userMessage } from '../../../tests/support/messages.ts';
import { submit } from '../../../tests/support/rest.ts';

/**
 * Opens so many streams, each on a task of its own, says `subscribed`, and stays. Usage: idle-streams.ts <url> <count>
 */
const [url = '', count = '0'] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const TOGETHER = 50;

async function open(): Promise<void> {
  const { id } = await submit(url, userMessage('wait'));
  const sent = request(`${url}/tasks/${id}:subscribe`, { agent, headers: { accept: 'text/event-stream' } }).end();
  const [response]: IncomingMessage[] = await once(sent, 'response');
  response?.resume();
}

for (let opened = 0; opened < Number(count); opened += TOGETHER)
  await Promise.all(Array.from({ length: Math.min(TOGETHER, Number(count) - opened) }, open));
process.stdout.write('subscribed\n');
