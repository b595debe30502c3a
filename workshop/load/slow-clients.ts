// `npm run slow-clients`: thousands of connections that send next to nothing. Others must be served as if there were
// none, and the gateway must close them and free their memory in time.

import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { residentBytes } from '../../tests/support/process-usage.ts';
import { until } from '../../tests/support/until.ts';
import { count, readCommandLine } from '../options.ts';
import { quantile } from '../statistics.ts';
import { startOwnSystem } from '../system.ts';
import { textTable } from '../tables.ts';

export interface SlowClientsOptions {
  readonly connections: number;
  /** Of the gateway: a request that has not arrived after this time. */
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
/** 50 requests a second of clients who are not slow. */
const REQUEST_EVERY_MS = 20;

/** Opens slow connections to a gateway of its own, and measures what others notice. */
export async function measureSlowClients({ connections, bodyMs }: SlowClientsOptions) {
  await using parts = new AsyncDisposableStack();
  const env = { BODY_TIMEOUT_MS: String(bodyMs), CLIENT_STALL_MS: String(bodyMs) };
  const { url, pid } = parts.use(await startOwnSystem({ agents: ['echo'], isDurable: false, env })).gateway;
  const before = residentBytes(pid);
  let most = before;
  const others = askOthers(url);
  const sockets: Socket[] = [];
  let opened = 0;
  parts.defer(() => {
    for (const socket of sockets) socket.destroy();
  });
  // In waves: the kernel forgets connections that come faster than they are accepted.
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
  // From when all were open until the gateway had closed all; NaN: it had not.
  const closedAfterMs = await until(isOver, { what: 'all are closed', timeoutMs: bodyMs + 15_000, everyMs: 100 }).then(
    () => performance.now() - begun,
    () => Number.NaN,
  );
  const { latencies, failed } = await others.stop();
  const p99 = quantile(latencies, 0.99);
  // Resident memory of the gateway: before, at its most, and when all were closed.
  const bytes = { before, most, after: residentBytes(pid) };
  return { opened, answered: latencies.length, failed, p99, closedAfterMs, bytes };
}

function openSlow(url: string, number: number): Socket {
  const { hostname, port } = new URL(url);
  const kind = kinds[number % kinds.length] ?? kinds[0];
  const socket = connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
  if (kind.head) socket.write(kind.head);
  // A paused socket would not notice that the gateway closes it.
  socket.resume();
  const drip = setInterval(() => kind.piece && socket.writable && socket.write(kind.piece), PIECE_EVERY_MS);
  socket.on('close', () => clearInterval(drip));
  return socket;
}

/** Requests of other clients, at a constant rate. */
function askOthers(url: string) {
  const latencies: number[] = [];
  let failed = 0;
  const pending = new Set<Promise<void>>();
  const ask = async (): Promise<void> => {
    const begun = performance.now();
    const ok = await fetch(`${url}/tasks?pageSize=1`).then(
      async (response) => (await response.text()) !== '' && response.ok,
      () => false,
    );
    if (ok) latencies.push(performance.now() - begun);
    else failed++;
  };
  const timer = setInterval(() => {
    const asked = ask().finally(() => pending.delete(asked));
    pending.add(asked);
  }, REQUEST_EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.race([Promise.all(pending), delay(5_000)]);
      return { latencies, failed };
    },
  };
}

if (import.meta.main) {
  const bodyMs = 30_000;
  const { connections } = readCommandLine({
    usage: 'npm run slow-clients [-- options]',
    options: { connections: count('slow connections', '5000', ['4', '15000']) },
  }).options;
  const mib = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MiB`;
  const { opened, answered, failed, p99, closedAfterMs, bytes } = await measureSlowClients({ connections, bodyMs });
  const columns = ['slow', 'closed after', 'others answered', 'failed', 'p99', 'memory before', 'at most', 'after'];
  const row = [
    `${opened}`,
    `${(closedAfterMs / 1_000).toFixed(1)} s`,
    `${answered}`,
    `${failed}`,
    `${p99.toFixed(1)} ms`,
    ...[bytes.before, bytes.most, bytes.after].map(mib),
  ];
  process.stdout.write(`${textTable(columns, [row])}\n`);
  const isHeld = closedAfterMs < bodyMs + 5_000 && failed === 0 && p99 < 200;
  process.stdout.write(isHeld ? 'held\n' : 'not held: all closed within 35 s, others answered, p99 below 200 ms\n');
  process.exitCode = isHeld ? 0 : 1;
}
