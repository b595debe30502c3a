import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';

/**
 * HTTP load in a process of its own. Usage: http-load.ts '<HttpLoad as JSON>'; answers `HttpResult`.
 * `$ID` in the body becomes a new id with every request.
 *
 * It writes and reads HTTP/1.1 itself: on two cores a generator competes with the servers, and libraries need twice as
 * much for a request (18 µs for an answer of 25 KB; autocannon 35, undici 25).
 */
export interface HttpLoad {
  readonly url: string;
  /** Requested in turn, instead of the path of the URL. */
  readonly paths?: readonly string[];
  /** An ETag for each path, sent as If-None-Match. */
  readonly etags?: readonly string[];
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Each has one request in flight at any time. */
  readonly connections: number;
  readonly seconds: number;
}

export interface HttpResult {
  readonly perSecond: number;
  /** Answers other than 200 and 304. */
  readonly failed: number;
  /** Milliseconds from a request to its answer, of 99 in 100. */
  readonly p99Ms: number;
  /** The share of a processor that this load needed: near 1, the load itself was the limit. */
  readonly share: number;
}

const { url, paths, etags, method, headers, body, connections, seconds }: HttpLoad = JSON.parse(
  process.argv[2] ?? '{}',
);
const { host, hostname, port, pathname, search } = new URL(url);
const nextRequest = requests();
let answered = 0;
let failed = 0;
/** Of each answer, in tenths of a millisecond; the last place counts the longer ones. */
const latencies = new Uint32Array(100_000);

/** Makes the bytes of the next request. */
function requests(): () => string {
  const [before = '', after] = body?.split('$ID') ?? [];
  const length = Buffer.byteLength(before) + (after === undefined ? 0 : randomUUID().length + Buffer.byteLength(after));
  const all = { host, 'content-type': 'application/json', 'a2a-version': '1.0', ...headers };
  const lines = Object.entries(body === undefined ? all : { ...all, 'content-length': length });
  const rest = `${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${before}`;
  const heads = (paths ?? [pathname + search]).map((path, i) => {
    const condition = etags ? `if-none-match: ${etags[i]}\r\n` : '';
    return `${method} ${path} HTTP/1.1\r\n${condition}${rest}`;
  });
  let turn = 0;
  return () => {
    const head = heads[turn++ % heads.length] ?? '';
    return after === undefined ? head : head + randomUUID() + after;
  };
}

/** One request after the other on one connection, and on the next one when the server closes it. */
function keepAsking(): void {
  const socket = connect(Number(port), hostname).setNoDelay(true);
  let pending = 0; // bytes of the answer that are still to come
  let isLast = false;
  let sentAt = 0;
  const ask = (): void => {
    sentAt = performance.now();
    socket.write(nextRequest());
  };
  socket.on('connect', ask);
  socket.on('error', giveUp);
  socket.on('close', () => isLast || giveUp(new Error('a connection was closed')));
  socket.on('data', (chunk: Buffer) => {
    if (pending > 0) pending -= chunk.length;
    else {
      const head = chunk.toString('latin1', 0, chunk.indexOf('\r\n\r\n'));
      // A gateway takes a limited number of requests on one connection.
      isLast = /\r\nconnection: *close/i.test(head);
      pending = bytesToCome(chunk, head);
    }
    if (pending > 0) return;
    answered++;
    const tenths = Math.min(latencies.length - 1, Math.floor((performance.now() - sentAt) * 10));
    latencies[tenths] = (latencies[tenths] ?? 0) + 1;
    if (isLast) {
      socket.destroy();
      keepAsking();
    } else ask();
  });
}

/** Bytes of an answer that are still to come, after its first chunk, which contains all headers. */
function bytesToCome(chunk: Buffer, head: string): number {
  const status = head.slice(9, 12);
  if (status !== '200' && status !== '304') failed++;
  if (status === '304') return 0;
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer without a Content-Length: ${head}`);
  return head.length + 4 + Number(length) - chunk.length;
}

function giveUp(cause: Error): never {
  throw new Error(`no HTTP from ${url}`, { cause });
}

function p99Ms(): number {
  let rest = answered * 0.01;
  for (let tenths = latencies.length - 1; tenths >= 0; tenths--) {
    rest -= latencies[tenths] ?? 0;
    if (rest < 0) return tenths / 10;
  }
  return 0;
}

for (let i = 0; i < connections; i++) keepAsking();
const begun = performance.now();
const used = process.cpuUsage();
setTimeout(() => {
  const tookMs = performance.now() - begun;
  const { user, system } = process.cpuUsage(used);
  const perSecond = (answered / tookMs) * 1_000;
  const answer: HttpResult = { perSecond, failed, p99Ms: p99Ms(), share: (user + system) / 1_000 / tookMs };
  process.stdout.write(`answer ${JSON.stringify(answer)}\n`, () => process.exit());
}, seconds * 1_000);
