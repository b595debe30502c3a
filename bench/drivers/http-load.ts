import { randomUUID } from 'node:crypto';
import autocannon from 'autocannon';

/**
 * HTTP load in a process of its own. Usage: http-load.ts '<HttpLoad as JSON>'; answers `HttpResult`.
 * `$ID` in the body becomes a new id with every request.
 */
export interface HttpLoad {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly connections: number;
  readonly seconds: number;
}

export interface HttpResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers that were none: timeouts, refused connections, statuses other than expected. */
  readonly failed: number;
}

const { url, method, headers, body, connections, seconds }: HttpLoad = JSON.parse(process.argv[2] ?? '{}');
const [before = '', after = ''] = body?.split('$ID') ?? [];
const freshBody = (request: autocannon.Request): autocannon.Request => ({
  ...request,
  body: before + randomUUID() + after,
});
const result = await autocannon({
  url,
  method,
  connections,
  duration: seconds,
  headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers },
  ...(body && (after ? { requests: [{ setupRequest: freshBody }] } : { body })),
});
const answered = result.requests.total;
const answer: HttpResult = {
  perSecond: answered / result.duration,
  p50Ms: result.latency.p50,
  p99Ms: result.latency.p99,
  failed: result.errors + result.timeouts + result['4xx'] + result['5xx'],
};
process.stdout.write(`answer ${JSON.stringify(answer)}\n`);
process.exit();
