import { defineScript, integer, type RedisConnection, text, tuple, withDeadline, word } from '@switchyard/redis';
import type { StoreInside } from '@switchyard/store/inside';

/** A request to a model does not wait longer for Redis: then it begins without. */
const WITHIN_MS = 2_000;

const from = import.meta.url;
const askForRoomScript = defineScript({
  file: 'ask-for-room.lua',
  from,
  keys: ['pace', 'line', 'asks', 'open', 'tenants'],
  args: ['id', 'tenant', 'tag', 'tokens', 'requestsPerMinute', 'tokensPerMinute', 'burstMs'],
  reply: tuple(word('go', 'wait'), integer, integer, text),
});
const correctPaceScript = defineScript({
  file: 'correct-pace.lua',
  from,
  keys: ['pace', 'open'],
  args: ['id', 'tokens', 'tokensPerMinute', 'pausedMs'],
  reply: word('corrected', 'known'),
});

/** The limits of a name. Unset: there is none. */
export interface PaceLimits {
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  /** Unused time that is saved, and may be used at once. Default: 1,000. */
  readonly burstMs?: number | undefined;
}

/** A request that counts against the limits of a name. */
export interface PacedRequest {
  readonly name: string;
  /** Of the request; the same each time that it asks. */
  readonly id: string;
  readonly tenant: string;
  /** Those that it will probably use. */
  readonly tokens: number;
  readonly limits: PaceLimits;
  /** From the last answer. */
  readonly tag?: string | undefined;
}

/** `go`: it may begin in `inMs`, and has a reservation. `wait`: it may begin in about `inMs`; ask again after `askMs`. */
export interface RoomAnswer {
  readonly verdict: 'go' | 'wait';
  readonly inMs: number;
  readonly askMs: number;
  readonly tag: string;
}

/** What became of a request with a reservation. */
export interface PaceCorrection {
  readonly id: string;
  /** Those that it used beyond its reservation; negative: it used fewer. Unset: not known yet. */
  readonly tokens?: number | undefined;
  /** Nobody begins a request of this name for so long. Default: 0. */
  readonly pausedMs?: number | undefined;
}

/**
 * Requests and tokens per minute of a name, such as a model at its provider, over all processes: docs/adr/0148. A
 * reservation of a process that died is spent.
 */
export class Pace {
  readonly #redis: RedisConnection;
  readonly #shards: StoreInside['shards'];

  constructor({ redis, shards, health }: Pick<StoreInside, 'redis' | 'shards' | 'health'>, withinMs = WITHIN_MS) {
    this.#redis = withDeadline(redis, { ms: withinMs, health });
    this.#shards = shards;
  }

  async ask({ name, id, tenant, tokens, limits, tag = '' }: PacedRequest): Promise<RoomAnswer> {
    const { requestsPerMinute = 0, tokensPerMinute = 0, burstMs = 1_000 } = limits;
    const [verdict, inMs, askMs, nextTag] = await askForRoomScript.run(this.#redis, {
      keys: this.#shards.of(name).pace(name),
      args: { id, tenant, tag, tokens, requestsPerMinute, tokensPerMinute, burstMs },
    });
    return { verdict, inMs, askMs, tag: nextTag };
  }

  /** The tokens of a request are corrected once. */
  async correct(
    { name, limits }: Pick<PacedRequest, 'name' | 'limits'>,
    { id, tokens, pausedMs = 0 }: PaceCorrection,
  ): Promise<void> {
    const { pace, open } = this.#shards.of(name).pace(name);
    await correctPaceScript.run(this.#redis, {
      keys: { pace, open },
      args: { id, tokens: tokens ?? '', tokensPerMinute: limits.tokensPerMinute ?? 0, pausedMs },
    });
  }
}
