import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { residentBytes } from '../../../tests/support/process-usage.ts';
import { startRedis } from '../../../tests/support/redis.ts';
import { startStack } from '../../../tests/support/stack.ts';
import { until } from '../../../tests/support/until.ts';
import { quantile } from '../../statistics/quantile.ts';

export interface SlowClientsOptions {
  readonly connections: number;
  /** Of the gateway: a request that has not arrived after this time. */
  readonly bodyMs: number;
}

export interface SlowClientsFindings {
  /** Connections that were established. */
  readonly opened: number;
  /** Answers to others meanwhile, and their latency in milliseconds. */
  readonly answered: number;
  readonly failed: number;
  readonly p99: number;
  /** From when all were open until the gateway had closed all; NaN: it had not. */
  readonly closedAfterMs: number;
  /** Resident memory of the gateway: before, at its most, and when all were closed. */
  readonly bytes: { readonly before: number; readonly most: number; readonly after: number };
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

/** Less than a server lets wait to be accepted. */
const WAVE = 100;
const PIECE_EVERY_MS = 1_000;
/** 50 requests a second of clients who are not slow. */
const REQUEST_EVERY_MS = 20;

/** Opens slow connections to a gateway of its own, and measures what others notice. */
export async function measureSlowClients({ connections, bodyMs }: SlowClientsOptions): Promise<SlowClientsFindings> {
  await using parts = new AsyncDisposableStack();
  const redis = await startRedis();
  parts.defer(redis.stop);
  const stack = await startStack({
    redisUrl: redis.url,
    agents: ['echo'],
    env: { GRPC_PORT: 'off', BODY_TIMEOUT_MS: String(bodyMs), CLIENT_STALL_MS: String(bodyMs), LOG_LEVEL: 'info' },
  });
  parts.use(stack);
  const [gateway] = stack.gateways;
  if (gateway?.pid === undefined) throw new Error('the gateway did not start');
  const { url, pid } = gateway;
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
  const closedAfterMs = await until(isOver, { what: 'all are closed', timeoutMs: bodyMs + 15_000, everyMs: 100 }).then(
    () => performance.now() - begun,
    () => Number.NaN,
  );
  const { latencies, failed } = await others.stop();
  const after = residentBytes(pid);
  return {
    opened,
    answered: latencies.length,
    failed,
    p99: quantile(latencies, 0.99),
    closedAfterMs,
    bytes: { before, most, after },
  };
}

function openSlow(url: string, number: number): Socket {
  const { hostname, port } = new URL(url);
  const kind = kinds[number % kinds.length] ?? kinds[0];
  const socket = connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
  if (kind.head) socket.write(kind.head);
  // One that is paused would not see the end of the connection.
  socket.resume();
  const drip = setInterval(() => kind.piece && socket.writable && socket.write(kind.piece), PIECE_EVERY_MS);
  socket.on('close', () => clearInterval(drip));
  return socket;
}

/** Requests of others, in a steady beat. */
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
