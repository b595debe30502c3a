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
export async function togetherOrSingly<Request, Response>(
  requests: readonly Request[],
  send: (requests: readonly Request[]) => Promise<readonly Response[]>,
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

export interface BatchLimits {
  /** Requests in one message: bounds the time that Redis spends on one script. */
  readonly requests: number;
  /** Messages in flight. With 1, Redis serves other clients between two; with 2 it has the next one ready. */
  readonly messages: number;
  /** Of the callers; unset: they wait. */
  readonly deadline?: Deadline | undefined;
}

/**
 * Concurrent requests to Redis, sent in few messages: a message costs more than a request in it. While messages are in
 * flight new requests are queued, equal ones as one. No caller gets the response to a request sent before its own.
 */
export class Batches<Request, Response> {
  readonly #sendAll: SendAll<Request, Response>;
  readonly #limits: BatchLimits;
  #inFlight = 0;
  #queued = new Map<string, QueuedRequest<Request, Response>>();

  constructor(sendAll: SendAll<Request, Response>, limits: BatchLimits) {
    this.#sendAll = sendAll;
    this.#limits = limits;
  }

  /**
   * @param key equal for equal requests
   * @throws {RedisUnavailable} at once, without queueing, or with a message whose deadline passed, behind which
   * it waited
   */
  send(key: string, request: Request): Promise<Response> {
    if (this.#limits.deadline?.health.isAnswering === false) return Promise.reject(new RedisUnavailable());
    const queued = this.#queued.get(key);
    if (queued) return queued.response.promise;
    const response = Promise.withResolvers<Response>();
    this.#queued.set(key, { request, response });
    if (this.#inFlight < this.#limits.messages && this.#queued.size === 1) queueMicrotask(() => this.#flush());
    return response.promise;
  }

  #flush(): void {
    while (this.#queued.size > 0 && this.#inFlight < this.#limits.messages) this.#sendBatch(this.#take());
  }

  #sendBatch(batch: readonly QueuedRequest<Request, Response>[]): void {
    this.#inFlight++;
    this.#sendAll(batch.map(({ request }) => request)).then(
      (responses) => {
        this.#onReply();
        responses.forEach((response, i) => void batch[i]?.response.resolve(response));
      },
      (error: unknown) => {
        const late = this.#limits.deadline && isTimeout(error) ? this.#takeAll() : [];
        this.#onReply();
        for (const { response } of [...batch, ...late]) response.reject(error);
      },
    );
  }

  #take(): QueuedRequest<Request, Response>[] {
    if (this.#queued.size <= this.#limits.requests) return this.#takeAll();
    const batch: QueuedRequest<Request, Response>[] = [];
    for (const [key, queued] of this.#queued) {
      if (batch.length === this.#limits.requests) break;
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
  readonly response: PromiseWithResolvers<Response>;
}

/** Batches for each shard: a shard that is slow or down does not delay the others. */
export class BatchesByShard<Request, Response> {
  readonly #sendAll: SendAll<Request, Response>;
  readonly #limits: BatchLimits;
  readonly #batches = new WeakMap<object, Batches<Request, Response>>();

  /** @param sendAll sends requests to one shard */
  constructor(sendAll: SendAll<Request, Response>, limits: BatchLimits) {
    this.#sendAll = sendAll;
    this.#limits = limits;
  }

  of(shard: object): Batches<Request, Response> {
    const known = this.#batches.get(shard);
    if (known) return known;
    const batches = new Batches(this.#sendAll, this.#limits);
    this.#batches.set(shard, batches);
    return batches;
  }
}
