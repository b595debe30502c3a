import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Request } from 'express';
import Negotiator from 'negotiator';
import { lastEventIn } from '../bindings/http-call.ts';
import { HeldRequests } from '../call/held-requests.ts';
import { Share } from '../limits/shares.ts';
import type { StreamItem } from '../operations/operation.ts';
import type { Operator } from './operators.ts';
import { type AdminBackend, type AdminRoute, EventsAnswer } from './route.ts';

/** How often an answer is looked at. */
const everyMs = 1_000;
/** What takes long is looked at less often: so many times what it took. */
const restFactor = 4;
/** Then the reader connects again: one that lost the right to read does not keep it. */
const longestMs = 600_000;
/** A little early, so that readers of the same second share a look. */
const dueMs = 0.8 * everyMs;
const most = 100;

/** Streams to operators. They end with their reader or its key, after ten minutes, with a reload, and at shutdown. */
export class OperatorStreams {
  readonly #held = new HeldRequests();
  readonly #share = new Share('streams', { total: most, perTenant: most, perPrincipal: most });
  readonly #ends = new Set<() => void>();

  /** @throws {A2AError} RateLimited, Unavailable: too many are open */
  watch(res: ServerResponse, { tenant = '', subject, onEnd }: Operator): AbortSignal {
    const hold = (): Disposable => this.#share.take({ tenant, subject, scopes: [] });
    return this.#held.watch(res, { hold, identity: { onEnd: (end) => this.#onEnd(end, onEnd?.(end)) } });
  }

  /** Readers come again, with their keys. */
  reload(): void {
    for (const end of [...this.#ends]) end();
  }

  /** For good. */
  end(): void {
    this.#held.end();
  }

  /** @param credential what else ends it */
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
interface Look {
  readers: number;
  /** The next one is not before. */
  nextMs: number;
  item: Promise<StreamItem>;
}

/** One look at a path serves all its readers. */
const looks = new WeakMap<AdminBackend, Map<string, Look>>();

function looksOf(backend: AdminBackend): Map<string, Look> {
  const shared = looks.get(backend) ?? new Map<string, Look>();
  looks.set(backend, shared);
  return shared;
}

/** With `Accept: text/event-stream` the answer comes as an event, and again whenever it differs. */
export function live(route: AdminRoute): AdminRoute {
  return {
    ...route,
    run: async (backend, req, operator) => {
      if (!wantsEvents(req)) return route.run(backend, req, operator);
      const read = async (): Promise<StreamItem> => itemOf((await route.run(backend, req, operator)).answer);
      const at = { shared: looksOf(backend), path: req.originalUrl, read };
      // What refuses the first look refuses the stream, with a status.
      const first = await read();
      const after = lastEventIn(req)?.seq;
      return { answer: new EventsAnswer((signal) => answersAt(at, { first, after, signal })) };
    },
  };
}

interface LookedAt {
  readonly shared: Map<string, Look>;
  /** With the query. */
  readonly path: string;
  readonly read: () => Promise<StreamItem>;
}

interface Reader {
  readonly first: StreamItem;
  /** Of the answer that the reader has. */
  readonly after: number | undefined;
  readonly signal: AbortSignal;
}

async function* answersAt(at: LookedAt, { first, after, signal }: Reader): AsyncGenerator<StreamItem, void> {
  const { shared, path } = at;
  const look = shared.get(path) ?? { readers: 0, nextMs: Date.now() + dueMs, item: Promise.resolve(first) };
  shared.set(path, look);
  look.readers++;
  try {
    for (let last = after; !signal.aborted; ) {
      const item = await look.item;
      if (item.seq !== last) yield item;
      last = item.seq;
      if (!(await passed(signal))) return;
      refresh(look, at.read);
    }
  } finally {
    if (--look.readers === 0) shared.delete(path);
  }
}

/** Looks again, unless another reader just did. */
function refresh(look: Look, read: LookedAt['read']): void {
  const beganMs = Date.now();
  if (beganMs < look.nextMs) return;
  look.nextMs = Number.POSITIVE_INFINITY;
  look.item = read().finally(() => {
    look.nextMs = Math.max(beganMs + dueMs, Date.now() + restFactor * (Date.now() - beganMs));
  });
}

/** @returns false: aborted */
function passed(signal: AbortSignal): Promise<boolean> {
  return delay(everyMs, true, { signal }).catch(() => false);
}

/** Its number is a hash: who has it already needs it no more. */
function itemOf(answer: object | undefined): StreamItem {
  const json = JSON.stringify(answer ?? null);
  const seq = Number.parseInt(createHash('sha256').update(json).digest('hex').slice(0, 12), 16);
  return { seq, json };
}

function wantsEvents(req: Request): boolean {
  const wanted = new Negotiator(req).mediaType(['application/json', 'text/event-stream']);
  return wanted === 'text/event-stream' && req.method !== 'HEAD';
}
