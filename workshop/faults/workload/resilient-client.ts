import { setTimeout as delay } from 'node:timers/promises';
import { StreamResponse as SdkStreamResponse, SubscribeToTaskRequest } from '@a2a-js/sdk';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Client, credentials } from '@grpc/grpc-js';
import {
  type AgentCard,
  fold,
  isTerminal,
  type Message,
  priorityUri,
  type StreamResponse,
  scheduleUri,
  type Task,
  timeToLiveUri,
} from '@switchyard/protocol';
import { parse, streamResponseSchema } from '@switchyard/protocol/schemas';
import { type EventStream, openEventStream } from '../../../tests/support/event-stream.ts';
import type { SentEvent } from '../../../tests/support/sent-events.ts';
import { patience } from '../../../tests/support/until.ts';
import { Deadline, eventually } from './lateness.ts';

/** An answer that a retry would not change: an error of Switchyard in this suite. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

export interface Gateways {
  /** The running gateways. */
  readonly urls: readonly string[];
}

/** The same gateways, for the clients of another agent than the one at the root. */
export function gatewaysOf(gateways: Gateways, agent: string): Gateways {
  return {
    get urls() {
      return gateways.urls.map((url) => `${url}/agents/${agent}`);
    },
  };
}

/** A request that is repeated. */
export interface Retry {
  readonly url: string;
  readonly path: string;
  /** The status of the answer; `unanswered`: there was none; `cut`: it broke. */
  readonly status: number | 'unanswered' | 'cut';
  /**
   * Whether a proxy in front of the gateways would repeat it: the connection was refused, or closed before the answer,
   * or the answer was 503 with Retry-After.
   */
  readonly isAsked: boolean;
}

interface AskOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the path begins. Default: at the URL of the gateway. */
  readonly at?: (url: string) => string;
}

/** What messages may ask for. */
const EXTENSIONS = [scheduleUri, priorityUri, timeToLiveUri].join(', ');
const GIVE_UP_AFTER_MS = 60_000;
const ANSWERED_WITHIN_MS = 15_000 * patience;

/**
 * A client as the specification requires: it repeats a request with the same messageId at any gateway until one
 * answers.
 */
export class ResilientClient {
  readonly #gateways: Gateways;
  readonly #onRetry: (retry: Retry) => void;
  #next: number;

  /** @param start index of the first URL */
  constructor(gateways: Gateways, start: number, onRetry: (retry: Retry) => void = () => undefined) {
    this.#gateways = gateways;
    this.#next = start;
    this.#onRetry = onRetry;
  }

  /** The gateway for the next request, in turn. */
  url(): string {
    const { urls } = this.#gateways;
    return urls[this.#next++ % urls.length] ?? '';
  }

  /** @param webhook to receive all events of the task */
  async send(message: Message, returnImmediately: boolean, webhook?: string): Promise<Task> {
    const configuration = { returnImmediately, ...(webhook && { taskPushNotificationConfig: { url: webhook } }) };
    const { task } = await this.#ask<{ task: Task }>('/message:send', { message, configuration });
    return task;
  }

  /** The tasks of a context. */
  async list(contextId: string): Promise<readonly Task[]> {
    const { tasks } = await this.#ask<{ tasks: Task[] }>(`/tasks?contextId=${contextId}&includeArtifacts=true`);
    return tasks;
  }

  /** The ids of all tasks, page by page, the latest first. */
  async listAll(pageSize: number): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let pageToken = ''; ; ) {
      const path = `/tasks?pageSize=${pageSize}&pageToken=${encodeURIComponent(pageToken)}`;
      const page = await this.#ask<{ tasks: Task[]; nextPageToken: string }>(path);
      ids.push(...page.tasks.map(({ id }) => id));
      pageToken = page.nextPageToken;
      if (pageToken === '') return ids;
    }
  }

  /** One request for a task, at one gateway. */
  readOnce(taskId: string): Promise<Pick<Attempt, 'status' | 'text'>> {
    return attempt(`${this.url()}/tasks/${taskId}`, undefined, {});
  }

  /** Deletes a task that has ended. One that is gone is a success: the request may have been repeated. */
  async delete(taskId: string): Promise<void> {
    const path = `/tasks/${taskId}`;
    await this.#repeat(path, (url) => attempt(url + path, undefined, {}, 'DELETE'), [204, 404]);
  }

  read(taskId: string): Promise<Task> {
    return this.#ask<Task>(`/tasks/${taskId}`);
  }

  /** The task once it has ended. @throws {Error} it has not ended in this time */
  ended(taskId: string, timeoutMs: number): Promise<Task> {
    const end = async (): Promise<Task | false> => {
      const task = await this.read(taskId);
      return isTerminal(task.status.state) && task;
    };
    return eventually(end, { what: `${taskId} ends`, timeoutMs, everyMs: 100 });
  }

  /** A repeated cancel may find the task canceled, which is a success. */
  cancel(taskId: string): Promise<Task> {
    return this.#ask<Task>(`/tasks/${taskId}:cancel`, {});
  }

  /** Gives a task an event. @param key that a repeated request has, too */
  async give(taskId: string, event: string, { data, key }: { readonly data: unknown; readonly key: string }) {
    await this.#ask(`/tasks/${taskId}/events/${event}`, data, { headers: { 'idempotency-key': key } });
  }

  /** Gives an event by a callback URL, at any gateway. */
  async callBack(callbackUrl: string, data: unknown): Promise<void> {
    const { pathname } = new URL(callbackUrl);
    // It is not below the URL of an agent.
    await this.#ask(pathname, data, { at: (url) => new URL(url).origin });
  }

  /** Repeats a request until it is answered: every request is safe to repeat. */
  async #ask<Body>(path: string, body?: unknown, { headers = {}, at = (url) => url }: AskOptions = {}): Promise<Body> {
    return JSON.parse(await this.#repeat(path, (url) => attempt(at(url) + path, body, headers)));
  }

  /** @returns the text of the first answer with one of these statuses */
  async #repeat(path: string, ask: (url: string) => Promise<Attempt>, wanted: readonly unknown[] = [200]) {
    const deadline = new Deadline(path, GIVE_UP_AFTER_MS);
    for (;;) {
      const url = this.url();
      const { status, text, isAsked } = await ask(url);
      if (wanted.includes(status)) {
        deadline.came();
        return text;
      }
      if (typeof status === 'number' && status < 500 && status !== 429)
        throw new Refused(`${path} was answered ${status}: ${text}`);
      if (deadline.isOver) throw new Error(`${path} was not answered; last: ${status} ${text}`);
      this.#onRetry({ url, path, status, isAsked });
      // The next gateway is tried at once, but with a pause if there is none.
      await delay(status === 'unanswered' ? 10 : 100);
    }
  }
}

type Attempt = Pick<Retry, 'status' | 'isAsked'> & { readonly text: string };

async function attempt(
  url: string,
  body: unknown,
  given: Readonly<Record<string, string>>,
  method = body === undefined ? 'GET' : 'POST',
): Promise<Attempt> {
  let isBegun = false;
  try {
    const headers = { 'content-type': 'application/json', 'a2a-extensions': EXTENSIONS, ...given };
    const request = { method, ...(body !== undefined && { headers, body: JSON.stringify(body) }) };
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWERED_WITHIN_MS), ...request });
    isBegun = true;
    const isAsked = response.status === 503 && response.headers.has('retry-after');
    return { status: response.status, text: await response.text(), isAsked };
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    // The gateway was just killed, or is stopping.
    return { status: isBegun ? 'cut' : 'unanswered', text: '', isAsked: !isBegun && !isLate };
  }
}

/** What a client received of a task, over one stream or several. */
export interface Watched {
  /** Empty if every event came once, in order, from the first requested to the last. */
  readonly problems: readonly string[];
  /** Events since the last snapshot, if there was one. */
  readonly events: ReadonlyMap<number, SentEvent>;
  /** How often the stream broke and was resumed. */
  readonly resumed: number;
}

export interface WatchOptions {
  /** Redis may lose acknowledged writes: then a snapshot replaces everything before it. Default: that is a problem. */
  readonly mayLoseEvents?: boolean;
}

const WATCH_FOR_MS = 90_000;

/**
 * Follows a task from its first event to its last over any number of gateways: when the stream breaks, it continues at
 * another one with Last-Event-ID.
 */
export async function watchTask(
  client: ResilientClient,
  taskId: string,
  { mayLoseEvents = false }: WatchOptions = {},
): Promise<Watched> {
  const events = new Map<number, SentEvent>();
  const problems: string[] = [];
  const deadline = new Deadline(`the last event of ${taskId}`, WATCH_FOR_MS);
  let [last, resumed, hasEnded] = [0, -1, false];
  // From 0: all stored events, without the snapshot of a new subscription.
  let lastEventId = '0';
  const note = (event: SentEvent): void => {
    if (!('task' in event.data)) {
      if (event.id !== last + 1) problems.push(`${taskId}: event ${event.id} came after ${last}`);
      events.set(event.id, event);
    } else if (mayLoseEvents) events.clear();
    else problems.push(`${taskId}: a snapshot instead of event ${last + 1}`);
    last = event.id;
    lastEventId = event.eventId;
    hasEnded = endsTask(event.data);
  };
  while (!hasEnded && !deadline.isOver) {
    resumed++;
    const url = `${client.url()}/tasks/${taskId}:subscribe`;
    const stream = await openEventStream(url, { lastEventId }).catch(() => undefined); // a gateway was just killed
    if (stream?.status === 200) for await (const event of whole(stream)) note(event);
    else {
      stream?.cut();
      await delay(100);
    }
  }
  if (hasEnded) deadline.came();
  else problems.push(`${taskId}: its last event never came, only ${last} others`);
  return { problems, events, resumed };
}

/** The complete events of a stream, which may break at any byte, or end with an error that allows resuming. */
async function* whole(stream: EventStream): AsyncGenerator<SentEvent, void> {
  try {
    for await (const event of stream) {
      if ('error' in JSON.parse(event.text)) return;
      yield event;
    }
  } catch {
    return; // the connection broke
  }
}

export function endsTask(data: StreamResponse): boolean {
  const status = data.statusUpdate?.status ?? data.task?.status;
  return status !== undefined && isTerminal(status.state);
}

/**
 * The task to which its events over gRPC add up, from a snapshot to the last event. gRPC streams are not resumed but
 * repeated. @returns undefined if the task had ended before that was possible
 */
export async function watchOverGrpc(client: ResilientClient, taskId: string): Promise<Task | undefined> {
  const deadline = new Deadline(`the end of ${taskId} over gRPC`, WATCH_FOR_MS);
  while (!deadline.isOver) {
    const task = await subscribe(client.url(), taskId).catch(() => undefined); // a gateway was just killed
    if (task && isTerminal(task.status.state)) {
      deadline.came();
      return task;
    }
    if (isTerminal((await client.read(taskId)).status.state)) return undefined;
    await delay(100);
  }
  throw new Error(`the gRPC streams of ${taskId} never came to its end`);
}

/** One attempt over one stream. The address is in the gateway's card. */
async function subscribe(url: string, id: string): Promise<Task | undefined> {
  const response = await fetch(`${url}/.well-known/agent-card.json`, { headers: { 'a2a-version': '1.0' } });
  const card: AgentCard = JSON.parse(await response.text());
  const offered = card.supportedInterfaces.find(({ protocolBinding }) => protocolBinding === 'GRPC');
  if (!offered) throw new Error('the card has no gRPC');
  const grpc = new Client(offered.url.replace(/^[a-z]+:\/\//, ''), credentials.createInsecure());
  try {
    const { path, requestSerialize, responseDeserialize } = A2AService.subscribeToTask;
    const request = SubscribeToTaskRequest.fromJSON({ id });
    let task: Task | undefined;
    for await (const message of grpc.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request)) {
      const event = parse(streamResponseSchema, SdkStreamResponse.toJSON(message));
      task = event.task ?? (task && fold(task, event));
    }
    return task;
  } finally {
    grpc.close();
  }
}
