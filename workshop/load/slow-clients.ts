// `npm run workshop slow-clients`: thousands of connections that send almost nothing. Other clients must be served as
// usual, and the gateway must close these connections and free their memory in time.

import { connect, type Socket } from 'node:net';
import { residentBytes } from '../../tests/support/process-usage.ts';
import { until } from '../../tests/support/until.ts';
import { count, readCommandLine } from '../options.ts';
import { Latencies, SeededRandom } from '../statistics.ts';
import { startOwnSystem } from '../system.ts';
import { conclude, mib, ms, textTable } from '../tables.ts';
import { arrivals, keepPace } from './open-model.ts';

export interface SlowClientsOptions {
  readonly connections: number;
  /** The gateway's time limit for a request. */
  readonly bodyMs: number;
}

/** What slow clients send at first, and then again and again. */
const kinds = [
  { head: '', piece: '' },
  { head: 'GET /tasks HTTP/1.1\r\nHost: x\r\n', piece: 'X-Slow: x\r\n' },
  {
    head: 'POST /message:send HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{',
    piece: ' ',
  },
] as const;

/** Fewer than the backlog of a listening socket. */
const WAVE = 100;
const PIECE_EVERY_MS = 1_000;
/** Requests per second of normal clients. */
const OTHERS = 50;

/** Opens slow connections to a gateway of its own, and measures the effect on others. */
export async function measureSlowClients({ connections, bodyMs }: SlowClientsOptions) {
  await using parts = new AsyncDisposableStack();
  const env = { BODY_TIMEOUT_MS: String(bodyMs), CLIENT_STALL_MS: String(bodyMs) };
  const { url, pid } = parts.use(await startOwnSystem({ agents: ['echo'], env })).gateway;
  const before = residentBytes(pid);
  let most = before;
  const others = askOthers(url);
  const sockets: Socket[] = [];
  let opened = 0;
  parts.defer(() => {
    for (const socket of sockets) socket.destroy();
  });
  // In groups: the kernel drops connections that come faster than they are accepted.
  while (sockets.length < connections) {
    const wave = Math.min(WAVE, connections - sockets.length);
    sockets.push(...Array.from({ length: wave }, (_, i) => openSlow(url, sockets.length + i)));
    for (const socket of sockets.slice(-wave)) socket.once('connect', () => opened++);
    await until(() => sockets.every((socket) => !socket.connecting), { what: 'all are connected', timeoutMs: 30_000 });
  }
  const begun = performance.now();
  const isOver = (): boolean => {
    most = Math.max(most, residentBytes(pid));
    return sockets.every((socket) => socket.destroyed || socket.readableEnded);
  };
  // Milliseconds from the opening of all until the gateway had closed all; NaN if it had not.
  const closedAfterMs = await until(isOver, { what: 'all are closed', timeoutMs: bodyMs + 15_000, everyMs: 100 }).then(
    () => performance.now() - begun,
    () => Number.NaN,
  );
  const { latencies, failed } = await others.stop();
  // Resident memory of the gateway: before, at its highest, and after all were closed.
  const bytes = { before, most, after: residentBytes(pid) };
  return { opened, answered: latencies.count, failed, p99: latencies.at(99) ?? Number.NaN, closedAfterMs, bytes };
}

function openSlow(url: string, number: number): Socket {
  const { hostname, port } = new URL(url);
  const kind = kinds[number % kinds.length] ?? kinds[0];
  const socket = connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
  if (kind.head) socket.write(kind.head);
  // A paused socket would not notice the end.
  socket.resume();
  const drip = setInterval(() => kind.piece && socket.writable && socket.write(kind.piece), PIECE_EVERY_MS);
  socket.on('close', () => clearInterval(drip));
  return socket;
}

/** Sends requests of other clients until they are stopped. */
function askOthers(url: string) {
  const latencies = new Latencies();
  let failed = 0;
  const act = async (dueAt: number): Promise<void> => {
    const ok = await fetch(`${url}/tasks?pageSize=1`, { signal: AbortSignal.timeout(5_000) })
      .then(async (response) => (await response.text()) !== '' && response.ok)
      .catch(() => false);
    if (ok) latencies.add(performance.now() - dueAt);
    else failed++;
  };
  const stopped = new AbortController();
  const random = new SeededRandom(1);
  const done = keepPace({
    arrivals: arrivals({ rateAt: () => OTHERS, peak: OTHERS, random }),
    signal: stopped.signal,
    act,
  });
  return {
    async stop() {
      stopped.abort();
      await done;
      return { latencies, failed };
    },
  };
}

if (import.meta.main) {
  const bodyMs = 30_000;
  const { connections } = readCommandLine({
    usage: 'npm run workshop slow-clients [-- options]',
    options: { connections: count('slow connections', '5000', ['4', '15000']) },
  }).options;
  const { opened, answered, failed, p99, closedAfterMs, bytes } = await measureSlowClients({ connections, bodyMs });
  const columns = ['slow', 'closed after', 'others answered', 'failed', 'p99', 'memory before', 'at most', 'after'];
  const row = [
    `${opened}`,
    ms(closedAfterMs),
    `${answered}`,
    `${failed}`,
    ms(p99),
    ...[bytes.before, bytes.most, bytes.after].map(mib),
  ];
  process.stdout.write(`${textTable(columns, [row])}\n`);
  const isHeld = closedAfterMs < bodyMs + 5_000 && failed === 0 && p99 < 200;
  conclude(isHeld, 'all closed within 35 s, others answered, p99 below 200 ms');
}
