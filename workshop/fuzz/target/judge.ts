import { request } from 'node:http';
import { connect } from 'node:net';
import { type Input, withTasks } from '../inputs/input.ts';
import type { Target } from './target.ts';

/** Longer than any wait of the gateway's. */
const ANSWER_WITHIN_MS = 20_000;
/** A stream is left after this time, and a connection that asks for more. */
const LEAVE_AFTER_MS = 60;
const MAX_ANSWER_BYTES = 256 * 1024;

type Problem = string | undefined;
type Of<Kind> = Input & { readonly kind: Kind };

/** Sends it. @returns what is wrong with the answer; undefined: nothing */
export function judge(target: Target, input: Input): Promise<Problem> {
  const sent = withTasks(input, target.taskIds);
  switch (sent.kind) {
    case 'http':
      return judgeHttp(target, sent);
    case 'raw':
      return judgeRaw(target, sent);
    case 'grpc':
      return judgeGrpc(target, sent);
  }
}

function judgeHttp(target: Target, { method, path, headers, body }: Of<'http'>): Promise<Problem> {
  const { promise, resolve } = Promise.withResolvers<Problem>();
  let missing = 'no answer';
  const late = setTimeout(() => {
    resolve(missing);
    req.destroy();
  }, ANSWER_WITHIN_MS);
  const req = request(`${target.url}`, { agent: target.agent, method, path, headers }, (res) => {
    missing = 'an answer without an end';
    late.refresh();
    if (res.headers['content-type']?.includes('text/event-stream')) setTimeout(() => res.destroy(), LEAVE_AFTER_MS);
    let text = '';
    res.setEncoding('utf8');
    res.on('data', (more: string) => {
      text += more;
      if (text.length > MAX_ANSWER_BYTES) res.destroy();
    });
    res.on('close', () => {
      clearTimeout(late);
      resolve(problemOf(res.statusCode ?? 0, text));
    });
    res.on('error', () => res.destroy());
  });
  // The gateway may close the connection of a request that it refuses; whether it is alive is looked at elsewhere.
  req.on('error', () => {
    clearTimeout(late);
    resolve(undefined);
  });
  req.end(body);
  return promise;
}

function problemOf(status: number, text: string): Problem {
  if (status >= 500 && status !== 503) return `HTTP ${status}: ${text.slice(0, 300)}`;
  return /"code":-32603\b/.test(text) ? `JSON-RPC -32603: ${text.slice(0, 300)}` : undefined;
}

function judgeRaw(target: Target, input: Of<'raw'>): Promise<Problem> {
  const { promise, resolve } = Promise.withResolvers<Problem>();
  const { hostname, port } = new URL(target.url);
  let text = '';
  const socket = connect(Number(port), hostname);
  // Most are answered at once; what is no whole request never is.
  const leave = setTimeout(() => socket.destroy(), LEAVE_AFTER_MS * 2);
  socket.setEncoding('utf8').on('data', (more: string) => {
    if (text.length < MAX_ANSWER_BYTES) text += more;
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    clearTimeout(leave);
    resolve(problemOf(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text));
  });
  socket.end(Buffer.from(input.bytes, 'base64'));
  return promise;
}

/** INTERNAL, and UNKNOWN, which a library answers for an error without a code. */
const FAULTS: readonly unknown[] = ['13', '2'];

function judgeGrpc(target: Target, input: Of<'grpc'>): Promise<Problem> {
  const { promise, resolve } = Promise.withResolvers<Problem>();
  const stream = target.session.request({ ':method': 'POST', ':path': input.method, ...input.headers });
  let status: unknown;
  let message = '';
  const read = (headers: Record<string, unknown>): void => {
    status = headers['grpc-status'] ?? status;
    message = String(headers['grpc-message'] ?? message);
  };
  const late = setTimeout(() => {
    resolve('no answer');
    stream.close();
  }, ANSWER_WITHIN_MS);
  let leave: NodeJS.Timeout | undefined;
  stream.on('response', (headers) => {
    clearTimeout(late);
    read(headers);
    leave = setTimeout(() => stream.close(), LEAVE_AFTER_MS);
  });
  stream.on('trailers', read);
  stream.on('error', () => stream.close());
  stream.on('close', () => {
    clearTimeout(late);
    clearTimeout(leave);
    resolve(FAULTS.includes(status) ? `gRPC status ${status}: ${message.slice(0, 300)}` : undefined);
  });
  stream.resume();
  stream.end(Buffer.from(input.frame, 'base64'));
  return promise;
}
