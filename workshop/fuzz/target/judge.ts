import { request } from 'node:http';
import { connect } from 'node:net';
import { type Input, withTasks } from '../inputs/input.ts';
import type { Target } from './target.ts';

/** Longer than any wait of the gateway. */
const ANSWER_WITHIN_MS = 20_000;
/** After this time a stream is left, and so is a connection on which the gateway waits for more. */
const LEAVE_AFTER_MS = 60;
const MAX_ANSWER_BYTES = 256 * 1024;

type Problem = string | undefined;
type Of<Kind> = Input & { readonly kind: Kind };

/** Sends it. @returns what is wrong with the answer, undefined if nothing is */
export function judge(target: Target, input: Input): Promise<Problem> {
  const sent = withTasks(input, target.taskIds);
  switch (sent.kind) {
    case 'http':
      return within((resolve) => sendHttp(target, sent, resolve));
    case 'raw':
      return within((resolve) => sendRaw(target, sent, resolve));
    case 'grpc':
      return within((resolve) => sendGrpc(target, sent, resolve));
  }
}

/** @param send calls back with the verdict; returns how it is ended if there is none in time */
function within(send: (resolve: (problem: Problem) => void) => () => void): Promise<Problem> {
  const { promise, resolve } = Promise.withResolvers<Problem>();
  const end = send(resolve);
  const late = setTimeout(() => {
    resolve('no answer, or one without an end');
    end();
  }, ANSWER_WITHIN_MS);
  return promise.finally(() => clearTimeout(late));
}

function sendHttp(target: Target, { method, path, headers, body }: Of<'http'>, resolve: (problem: Problem) => void) {
  const req = request(target.url, { agent: target.agent, method, path, headers }, (res) => {
    if (res.headers['content-type']?.includes('text/event-stream')) setTimeout(() => res.destroy(), LEAVE_AFTER_MS);
    let text = '';
    res.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      if (text.length > MAX_ANSWER_BYTES) res.destroy();
    });
    res.on('close', () => resolve(problemOf(res.statusCode ?? 0, text)));
    res.on('error', () => res.destroy());
  });
  // The gateway may close the connection of a request that it refuses; that it is alive is checked elsewhere.
  req.on('error', () => resolve(undefined));
  req.end(body);
  return () => void req.destroy();
}

function problemOf(status: number, text: string): Problem {
  if (status >= 500 && status !== 503) return `HTTP ${status}: ${text.slice(0, 300)}`;
  return /"code":-32603\b/.test(text) ? `JSON-RPC -32603: ${text.slice(0, 300)}` : undefined;
}

function sendRaw(target: Target, input: Of<'raw'>, resolve: (problem: Problem) => void) {
  const { hostname, port } = new URL(target.url);
  let text = '';
  const socket = connect(Number(port), hostname);
  // Most are answered at once, but an incomplete request never is.
  setTimeout(() => socket.destroy(), LEAVE_AFTER_MS * 2);
  socket.setEncoding('utf8').on('data', (more: string) => {
    if (text.length < MAX_ANSWER_BYTES) text += more;
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => resolve(problemOf(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text)));
  socket.end(Buffer.from(input.bytes, 'base64'));
  return () => void socket.destroy();
}

/** INTERNAL, and UNKNOWN, which a library returns for an error without a code. */
const FAULTS: readonly unknown[] = ['13', '2'];

function sendGrpc(target: Target, input: Of<'grpc'>, resolve: (problem: Problem) => void) {
  const stream = target.session.request({ ':method': 'POST', ':path': input.method, ...input.headers });
  let status: unknown;
  let message = '';
  const read = (headers: Record<string, unknown>): void => {
    status = headers['grpc-status'] ?? status;
    message = String(headers['grpc-message'] ?? message);
  };
  stream.on('response', (headers) => {
    read(headers);
    setTimeout(() => stream.close(), LEAVE_AFTER_MS);
  });
  stream.on('trailers', read);
  stream.on('error', () => stream.close());
  stream.on('close', () => {
    resolve(FAULTS.includes(status) ? `gRPC status ${status}: ${message.slice(0, 300)}` : undefined);
  });
  stream.resume();
  stream.end(Buffer.from(input.frame, 'base64'));
  return () => stream.close();
}
