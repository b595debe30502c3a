import { setImmediate } from 'node:timers/promises';
import type { Deadline } from './deadline.ts';
import { isOutage, isTimeout, RedisUnavailable } from './errors.ts';

/** Sends several requests to Redis in one message. Responses come in the order of the requests. */
export type SendAll<Request, Response> = (
  requests: readonly Request[],
) => Promise<readonly (Response | Promise<Response>)[]>;

/**
 * Sends all requests in one message. If Redis refuses the message, one request may be the reason: each is sent again
 * by itself, so a request that runs twice must have its effect once.
 */
export async function sendBatchThenEach<Request, Response>(
  requests: readonly Request[],
  send: SendAll<Request, Response>,
): Promise<readonly (Response | Promise<Response>)[]> {
  try {
    return await send(requests);
  } catch (error) {
    const isRefused = error instanceof Error && error.name === 'ReplyError';
    if (!isRefused || isOutage(error) || requests.length === 1) throw error;
    return requests.map(async (request) => (await send([request]))[0] as Response);
  }
}

/**
 * Repeats a step as long as it handles as many items as it may at once: there may be others.
 * @param forMs how long, before its caller gets a turn, for example to stop
 * @returns the total
 */
export async function repeatWhileFull(limit: number, step: () => Promise<number>, forMs = 1_000): Promise<number> {
  const startedAt = performance.now();
  for (let total = 0; ; ) {
    const count = await step();
    total += count;
    if (count < limit || performance.now() - startedAt > forMs) return total;
  }
}

export interface BatchOptions<Request, Response> {
  readonly send: SendAll<Request, Response>;
  /** Requests in one message: bounds the time that Redis spends on one script. */
  readonly requests: number;
  /** Messages in flight. With 1, Redis serves other clients between two; with 2 it has the next one ready. */
  readonly messages: number;
  /**
   * `each`: see `sendBatchThenEach`. `none`: requests have their effect in order, so that after one that failed no other
   * is sent.
   */
  readonly afterFailure: 'each' | 'none';
  /** Which requests are sent together when no message is in flight: those of a microtask, or of a turn of the loop. */
  readonly gather: 'microtask' | 'tick';
  /** Of the callers; unset: they wait. */
  readonly deadline?: Deadline | undefined;
}

let tick: Promise<void> | undefined;

/** The end of this turn of the event loop, shared by all batches, so that what they send is sent together. */
function endOfTick(): Promise<void> {
  tick ??= setImmediate().then(() => {
    tick = undefined;
  });
  return tick;
}

/**
 * Concurrent requests to Redis, sent in few messages: a message costs more than a request in it. While messages are in
 * flight new requests are queued, equal ones as one. No caller gets the response to a request sent before its own.
 */
export class Batches<Request, Response> {
  readonly #options: BatchOptions<Request, Response>;
  #inFlight = 0;
  #queued = new Map<unknown, QueuedRequest<Request, Response>>();
  /** The last message; never rejects. */
  #sending: Promise<void> | undefined;
  /** Set when nothing more is sent. */
  #failure: { readonly error: unknown } | undefined;

  constructor(options: BatchOptions<Request, Response>) {
    this.#options = options;
  }

  /**
   * @param key equal for equal requests
   * @throws {RedisUnavailable} at once, without queueing, or with a message whose deadline passed, behind which
   * it waited
   */
  send(request: Request, key: unknown = request): Promise<Response> {
    if (this.#failure) return Promise.reject(this.#failure.error);
    if (this.#options.deadline?.health.isAnswering === false) return Promise.reject(new RedisUnavailable());
    return responseOf(this.#queued.get(key) ?? this.#add(request, key));
  }

  /** As `send`, but resolves at once while fewer than `most` requests wait. If this one fails, later calls reject. */
  async enqueue(request: Request, most: number): Promise<void> {
    if (this.#failure) throw this.#failure.error;
    const queued = this.#add(request, request);
    if (this.#queued.size >= most) await responseOf(queued);
  }

  /** Resolves when all requests so far have their responses. @throws why nothing more is sent */
  async settled(): Promise<void> {
    const last = Array.from(this.#queued.values()).at(-1);
    if (last) await responseOf(last);
    await this.#sending;
    if (this.#failure) throw this.#failure.error;
  }

  #add(request: Request, key: unknown): QueuedRequest<Request, Response> {
    const { messages, gather } = this.#options;
    const queued = { request, response: undefined };
    this.#queued.set(key, queued);
    if (this.#inFlight < messages && this.#queued.size === 1) {
      if (gather === 'tick') void endOfTick().then(() => this.#flush());
      else queueMicrotask(() => this.#flush());
    }
    return queued;
  }

  #flush(): void {
    while (this.#queued.size > 0 && this.#inFlight < this.#options.messages) this.#sendBatch(this.#take());
  }

  #sendBatch(batch: readonly QueuedRequest<Request, Response>[]): void {
    const { send, afterFailure, deadline } = this.#options;
    const requests = batch.map(({ request }) => request);
    this.#inFlight++;
    this.#sending = (afterFailure === 'each' ? sendBatchThenEach(requests, send) : send(requests)).then(
      (responses) => {
        this.#onReply();
        responses.forEach((response, i) => void batch[i]?.response?.resolve(response));
      },
      (error: unknown) => {
        if (afterFailure === 'none') this.#failure = { error };
        const behind = this.#failure || (deadline && isTimeout(error)) ? this.#takeAll() : [];
        this.#onReply();
        for (const { response } of [...batch, ...behind]) response?.reject(error);
      },
    );
  }

  #take(): QueuedRequest<Request, Response>[] {
    if (this.#queued.size <= this.#options.requests) return this.#takeAll();
    const batch: QueuedRequest<Request, Response>[] = [];
    for (const [key, queued] of this.#queued) {
      if (batch.length === this.#options.requests) break;
      this.#queued.delete(key);
      batch.push(queued);
    }
    return batch;
  }

  #takeAll(): QueuedRequest<Request, Response>[] {
    const all = [...this.#queued.values()];
    this.#queued = new Map();
    return all;
  }

  /** The next message leaves before the responses resolve: Redis works on it meanwhile. */
  #onReply(): void {
    this.#inFlight--;
    this.#flush();
  }
}

/** A request that is not sent yet. */
interface QueuedRequest<Request, Response> {
  readonly request: Request;
  /** Unset: nobody waits for it. */
  response: PromiseWithResolvers<Response> | undefined;
}

function responseOf<Response>(queued: QueuedRequest<unknown, Response>): Promise<Response> {
  queued.response ??= Promise.withResolvers<Response>();
  return queued.response.promise;
}
