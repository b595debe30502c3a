// `npm run workshop latency`: the latency for one client on an idle machine. One request at a time over loopback,
// against its own gateway, worker and durable Redis.

import { cpus } from 'node:os';
import { userMessage } from '../../tests/support/messages.ts';
import { count, readCommandLine } from '../options.ts';
import { quantile } from '../statistics.ts';
import { startOwnSystem } from '../system.ts';
import { ms, textTable } from '../tables.ts';

const { rounds } = readCommandLine({
  usage: 'npm run workshop latency [-- options]',
  options: { rounds: count('calls of each kind', '2000') },
}).options;
const WARM_UP = 500;

interface Call {
  readonly name: string;
  readonly path: string;
  /** Default: a GET. */
  readonly configuration?: object;
  /** The required content of the answer: a stream ends with this event. */
  readonly awaited?: string;
  /** The limit for the median, in milliseconds. */
  readonly barMs?: number;
}

const calls: readonly Call[] = [
  { name: 'GET /healthz, for comparison', path: '/healthz' },
  {
    name: 'SendMessage, returnImmediately',
    path: '/message:send',
    configuration: { returnImmediately: true },
    barMs: 3,
  },
  { name: 'SendMessage to echo, until the completed task', path: '/message:send', configuration: {} },
  {
    name: 'SendStreamingMessage to echo, until the completed event',
    path: '/message:stream',
    configuration: {},
    awaited: 'TASK_STATE_COMPLETED',
    barMs: 10,
  },
];

async function row(url: string, { name, path, configuration, awaited = '', barMs }: Call): Promise<string[]> {
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
  const times: number[] = [];
  for (let round = -WARM_UP; round < rounds; round++) {
    const body = JSON.stringify({ message: userMessage('hello'), configuration });
    const begun = performance.now();
    const response = await fetch(url + path, configuration ? { method: 'POST', headers, body } : {});
    const text = await response.text();
    if (!response.ok || !text.includes(awaited)) throw new Error(`${path} answered ${response.status}: ${text}`);
    if (round >= 0) times.push(performance.now() - begun);
  }
  const [p50 = Number.NaN, ...more] = [0.5, 0.9, 0.99].map((share) => quantile(times, share));
  return [name, ...[p50, ...more].map(ms), barMs ? `≤ ${barMs} ms: ${p50 <= barMs ? 'yes' : 'NO'}` : ''];
}

await using system = await startOwnSystem({ agents: ['echo'] });
process.stdout.write(`${rounds} calls each, one at a time; Node ${process.version}, ${cpus().length} processors\n`);
const rows: string[][] = [];
for (const call of calls) rows.push(await row(system.gateway.url, call));
process.stdout.write(`${textTable(['', 'p50', 'p90', 'p99', 'bar (p50)'], rows)}\n`);
