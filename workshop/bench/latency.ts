// `npm run bench:latency`: how long one client waits on a machine that does nothing else. One request at a time, over
// loopback, against a gateway, a worker and a durable Redis of its own. The bars are those of issue 2.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { cpus } from 'node:os';
import { startRedis } from '../../tests/support/redis.ts';
import { startStack } from '../../tests/support/stack.ts';
import { count, readCommandLine } from '../options.ts';
import { quantile } from './measure/statistics.ts';

const { rounds } = readCommandLine({
  usage: 'npm run bench:latency [-- options]',
  options: { rounds: count({ what: 'calls of each kind', fallback: '2000' }) },
}).options;
const warmUpRounds = 500;
const agent = new Agent({ keepAlive: true });

interface Case {
  readonly name: string;
  /** Milliseconds that half of the calls may take at most. */
  readonly barMs?: number;
  readonly act: () => Promise<unknown>;
}

/** Sends a request and reads the answer until it has what is awaited, or else to its end. */
async function call(url: string, options: RequestOptions & { body?: object; awaited?: string }): Promise<void> {
  const { body, awaited, ...rest } = options;
  const sent = request(url, { agent, ...rest, headers: { 'content-type': 'application/json', 'a2a-version': '1.0' } });
  sent.end(body && JSON.stringify(body));
  const [response]: IncomingMessage[] = await once(sent, 'response');
  if (response?.statusCode !== 200) throw new Error(`${url} answered ${response?.statusCode}`);
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  if (awaited && !text.includes(awaited)) throw new Error(`${url} ended without ${awaited}`);
}

function message(text: string): object {
  return { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
}

function casesAt(url: string): Case[] {
  const immediately = { returnImmediately: true };
  return [
    { name: 'GET /healthz, for comparison', act: () => call(`${url}/healthz`, {}) },
    {
      name: 'SendMessage, returnImmediately',
      barMs: 3,
      act: () =>
        call(`${url}/message:send`, {
          method: 'POST',
          body: { message: message('hello'), configuration: immediately },
        }),
    },
    {
      name: 'SendMessage to echo, until the completed task',
      act: () => call(`${url}/message:send`, { method: 'POST', body: { message: message('hello') } }),
    },
    {
      // The stream ends with that event: reading to its end is reading the event.
      name: 'SendStreamingMessage to echo, until the completed event',
      barMs: 10,
      act: () =>
        call(`${url}/message:stream`, {
          method: 'POST',
          body: { message: message('hello') },
          awaited: 'TASK_STATE_COMPLETED',
        }),
    },
  ];
}

async function timesOf({ act }: Case): Promise<number[]> {
  const times: number[] = [];
  for (let round = -warmUpRounds; round < rounds; round++) {
    const begun = performance.now();
    await act();
    if (round >= 0) times.push(performance.now() - begun);
  }
  return times;
}

function row({ name, barMs }: Case, times: readonly number[]): string {
  const figures = [0.5, 0.9, 0.99].map((share) => `${quantile(times, share).toFixed(2)} ms`.padStart(10));
  const bar = barMs === undefined ? '' : `  ≤ ${barMs} ms: ${quantile(times, 0.5) <= barMs ? 'yes' : 'NO'}`;
  return `${name.padEnd(58)}${figures.join('')}${bar}\n`;
}

await using redis = { ...(await startRedis({ appendOnly: true })), [Symbol.asyncDispose]: () => redis.stop() };
await using stack = await startStack({ redisUrl: redis.url, agents: ['echo'], env: { LOG_LEVEL: 'info' } });
const head = ['p50', 'p90', 'p99'].map((title) => title.padStart(10)).join('');
process.stdout.write(`${rounds} calls each, one at a time; Node ${process.version}, ${cpus().length} processors\n`);
process.stdout.write(`${''.padEnd(58)}${head}  bar (p50)\n`);
for (const one of casesAt(stack.urls[0] ?? '')) process.stdout.write(row(one, await timesOf(one)));
agent.destroy();
