import { setTimeout as delay } from 'node:timers/promises';
import { userMessage } from '../../tests/support/messages.ts';
import { type Program, startProgram } from '../../tests/support/process.ts';
import type { HttpLoad, HttpResult } from './drivers/http-load.ts';
import type { StreamLoad, StreamResult } from './drivers/streams.ts';
import type { FanOut, FanOutResult } from './drivers/subscribers.ts';

/** Runs a program of this repository to its end. @returns the line of JSON that it prints */
export async function ask<T>(file: string, ...args: string[]): Promise<T> {
  const program = await startProgram({ file, args });
  const code = await program.exited;
  const [, json] = /^answer (.*)$/m.exec(program.output()) ?? [];
  if (json === undefined) throw new Error(`${file} ended with ${code} and no answer:\n${program.output()}`);
  return JSON.parse(json);
}

export const streams = (load: StreamLoad): Promise<StreamResult> =>
  ask('workshop/bench/drivers/streams.ts', JSON.stringify(load));

export const fanOut = (load: FanOut): Promise<FanOutResult> =>
  ask('workshop/bench/drivers/subscribers.ts', JSON.stringify(load));

/** Opens subscribers to a gateway, which get no events, until they are stopped. @param taskId see `FanOut` */
export async function idleSubscribers(load: Omit<FanOut, 'messages'>): Promise<Program> {
  const args = [JSON.stringify({ ...load, messages: 0 })];
  const clients = await startProgram({ file: 'workshop/bench/drivers/subscribers.ts', args });
  await clients.waitFor(/subscribed/, 120_000);
  await delay(2_000); // time for the last sockets
  return clients;
}

/** Concurrent callers, each with one request in flight: enough to keep all processes busy. */
export const CALLERS = 64;

/** Answers per second of an HTTP load from a process of its own. Any failed request fails the bench. */
export async function httpRate(load: Partial<HttpLoad> & Pick<HttpLoad, 'url'>): Promise<number> {
  const method = load.body === undefined ? 'GET' : 'POST';
  const whole: HttpLoad = { method, connections: CALLERS, seconds: 3, ...load };
  const { perSecond, failed } = await ask<HttpResult>('workshop/bench/drivers/http-load.ts', JSON.stringify(whole));
  if (failed) throw new Error(`${failed} requests to ${load.url} failed`);
  return perSecond;
}

/** The current ETags of these paths. */
export function etagsOf({ url, paths }: { readonly url: string; readonly paths: readonly string[] }) {
  const etagOf = async (path: string): Promise<string> => {
    const etag = (await fetch(url + path)).headers.get('etag');
    if (etag === null) throw new Error(`${path} has no ETag`);
    return etag;
  };
  return Promise.all(paths.map(etagOf));
}

interface SentTask {
  readonly id: string;
  readonly contextId: string;
}

const rpc = (params: object): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params });

/** SendMessage over JSON-RPC, to a gateway or an SDK server. Any error fails the bench. */
export async function sendMessage(url: string, text: string, message: object = {}): Promise<SentTask> {
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
  const body = rpc({ message: { ...userMessage(text), ...message } });
  const response = await fetch(url, { method: 'POST', headers, body });
  const { result, error } = (await response.json()) as { result?: { task: SentTask }; error?: unknown };
  if (!result) throw new Error(`SendMessage failed: ${JSON.stringify(error)}`);
  return result.task;
}

/** Body of a SendMessage request for `http-load`. */
export function sendBody(text: string, returnImmediately: boolean): string {
  return rpc({ message: { ...userMessage(text), messageId: '$ID' }, configuration: { returnImmediately } });
}
