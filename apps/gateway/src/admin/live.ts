import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Request } from 'express';
import Negotiator from 'negotiator';
import { eventIdInHeader } from '../bindings/http-call.ts';
import { HeldRequests } from '../call/held-requests.ts';
import { LimitedResource } from '../limits/limited-resources.ts';
import type { StreamItem } from '../operations/operation.ts';
import type { Operator } from './operators.ts';
import { type AdminBackend, type AdminRoute, EventsAnswer } from './route.ts';

/** Usual interval between two queries of an answer. */
const usuallyEveryMs = 1_000;
/** A slow query pauses for this multiple of its duration. */
const restFactor = 4;
/** The reader then connects again, with its key: so a revoked key does not keep its stream. */
const longestMs = 600_000;
/** Slightly early, so that readers of the same interval share a query. */
const dueFactor = 0.8;
const maxStreams = 100;

/**
 * Streams of operators. They end when their reader disconnects, its key is revoked, after ten minutes, at a reload and
 * at shutdown.
 */
export class OperatorStreams {
  readonly #held = new HeldRequests();
  readonly #streams = new LimitedResource('streams', {
    total: maxStreams,
    perTenant: maxStreams,
    perPrincipal: maxStreams,
  });
  readonly #ends = new Set<() => void>();

  /** @throws {A2AError} RateLimited, Unavailable: too many are open */
  watch(res: ServerResponse, { tenant = '', subject, onEnd }: Operator): AbortSignal {
    const hold = (): Disposable => this.#streams.take({ tenant, subject, scopes: [] });
    return this.#held.watch(res, { hold, identity: { onEnd: (end) => this.#onEnd(end, onEnd?.(end)) } });
  }

  /** Ends all streams; readers connect again with their keys. */
  reload(): void {
    for (const end of [...this.#ends]) end();
  }

  /** Ends all streams, at shutdown. */
  end(): void {
    this.#held.end();
  }

  /** @param credential also ends the stream when it expires or is revoked */
  #onEnd(listener: () => void, credential: Disposable | undefined): Disposable {
    const timer = setTimeout(listener, longestMs);
    this.#ends.add(listener);
    return {
      [Symbol.dispose]: () => {
        clearTimeout(timer);
        this.#ends.delete(listener);
        credential?.[Symbol.dispose]();
      },
    };
  }
}

/** An answer with the readers of its path. */
interface SharedQuery {
  readers: number;
  /** Earliest time of the next query. */
  nextMs: number;
  item: Promise<StreamItem>;
}

/** One query of a path serves all its readers. */
const queries = new WeakMap<AdminBackend, Map<string, SharedQuery>>();

function queriesOf(backend: AdminBackend): Map<string, SharedQuery> {
  const shared = queries.get(backend) ?? new Map<string, SharedQuery>();
  queries.set(backend, shared);
  return shared;
}

/**
 * With `Accept: text/event-stream`, the answer is sent as an event, and again after each change.
 * @param options `everyMs`: interval between two queries
 */
export function live(route: AdminRoute, { everyMs = usuallyEveryMs } = {}): AdminRoute {
  return {
    ...route,
    run: async (chosen, req, operator) => {
      if (!wantsEvents(req)) return route.run(chosen, req, operator);
      const read = async (): Promise<StreamItem> => itemOf((await route.run(chosen, req, operator)).answer);
      const at = { shared: queriesOf(chosen.backend), path: req.originalUrl, everyMs, read };
      // An error of the first query is answered with its status.
      const first = await read();
      const after = eventIdInHeader(req)?.seq;
      return { answer: new EventsAnswer((signal) => answersAt(at, { first, after, signal })) };
    },
  };
}

interface QueriedPath {
  readonly shared: Map<string, SharedQuery>;
  /** Includes the query string. */
  readonly path: string;
  readonly everyMs: number;
  readonly read: () => Promise<StreamItem>;
}

interface Reader {
  readonly first: StreamItem;
  /** The answer that the reader has. */
  readonly after: number | undefined;
  readonly signal: AbortSignal;
}

async function* answersAt(at: QueriedPath, { first, after, signal }: Reader): AsyncGenerator<StreamItem, void> {
  const { shared, path, everyMs } = at;
  const query = shared.get(path) ?? {
    readers: 0,
    nextMs: Date.now() + dueFactor * everyMs,
    item: Promise.resolve(first),
  };
  shared.set(path, query);
  query.readers++;
  try {
    for (let last = after; !signal.aborted; ) {
      const item = await query.item;
      if (item.seq !== last) yield item;
      last = item.seq;
      if (!(await passed(everyMs, signal))) return;
      refresh(query, at);
    }
  } finally {
    if (--query.readers === 0) shared.delete(path);
  }
}

/** Queries again, unless another reader has just done so. */
function refresh(query: SharedQuery, { read, everyMs }: QueriedPath): void {
  const beganMs = Date.now();
  if (beganMs < query.nextMs) return;
  query.nextMs = Number.POSITIVE_INFINITY;
  query.item = read().finally(() => {
    query.nextMs = Math.max(beganMs + dueFactor * everyMs, Date.now() + restFactor * (Date.now() - beganMs));
  });
}

/** @returns false if aborted */
function passed(ms: number, signal: AbortSignal): Promise<boolean> {
  return delay(ms, true, { signal }).catch(() => false);
}

/** The event id is a hash, so that a reader that has this answer does not get it again. */
function itemOf(answer: object | undefined): StreamItem {
  const json = JSON.stringify(answer ?? null);
  const seq = Number.parseInt(createHash('sha256').update(json).digest('hex').slice(0, 12), 16);
  return { seq, json };
}

function wantsEvents(req: Request): boolean {
  const wanted = new Negotiator(req).mediaType(['application/json', 'text/event-stream']);
  return wanted === 'text/event-stream' && req.method !== 'HEAD';
}
