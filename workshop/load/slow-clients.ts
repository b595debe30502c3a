// `npm run slow-clients`: thousands of connections that send next to nothing. Others must be served as if there were
// none, and the gateway must be rid of them, and of their memory, in time.

import { count, readCommandLine } from '../options.ts';
import { textTable } from '../tables/tables.ts';
import { measureSlowClients } from './measure/slow-clients.ts';

const BODY_MS = 30_000;

const { connections } = readCommandLine({
  usage: 'npm run slow-clients [-- options]',
  options: { connections: count({ what: 'slow connections', fallback: '5000' }, 4, 15_000) },
}).options;

const mib = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MiB`;
const { opened, answered, failed, p99, closedAfterMs, bytes } = await measureSlowClients({
  connections,
  bodyMs: BODY_MS,
});
const columns = ['slow', 'closed after', 'others answered', 'failed', 'p99', 'memory before', 'at most', 'after'];
const row = [
  `${opened}`,
  `${(closedAfterMs / 1_000).toFixed(1)} s`,
  `${answered}`,
  `${failed}`,
  `${p99.toFixed(1)} ms`,
  mib(bytes.before),
  mib(bytes.most),
  mib(bytes.after),
];
process.stdout.write(`${textTable(columns, [row])}\n`);
const isHeld = closedAfterMs < BODY_MS + 5_000 && failed === 0 && p99 < 200;
process.stdout.write(isHeld ? 'held\n' : 'not held: all closed within 35 s, others answered, p99 below 200 ms\n');
process.exitCode = isHeld ? 0 : 1;
