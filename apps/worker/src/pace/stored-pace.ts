import type { RoomRequest } from '@switchyard/agent';
import type { PacePort, RoomCorrection, RoomReply } from '@switchyard/agent/runtime';
import type { Pace } from '@switchyard/pace';
import type { Emit } from '../telemetry/events.ts';
import type { ModelLimits } from './model-limits.ts';

/** Names are part of keys. */
const MAX_NAME = 200;
/** The log says once in this time that Redis keeps no pace. */
const LOG_EVERY_MS = 10_000;

const unlimited: RoomReply = { verdict: 'go', inMs: 0, askMs: 0, tag: '' };

/** Keeps the pace of all workers in Redis. While Redis does not answer, requests go ahead. */
export class StoredPace {
  readonly #pace: Pick<Pace, 'ask' | 'correct'>;
  readonly #limits: ModelLimits;
  readonly #emit: Emit;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(pace: Pick<Pace, 'ask' | 'correct'>, limits: ModelLimits, emit: Emit) {
    this.#pace = pace;
    this.#limits = limits;
    this.#emit = emit;
  }

  /** For the turns of a tenant. */
  of(tenant: string): PacePort {
    return {
      ask: async (id, request, tag) => {
        const { tokens = 0 } = request;
        const paced = { ...this.#named(request), id, tenant, tokens, tag };
        return (await this.#unlessAway(() => this.#pace.ask(paced))) ?? unlimited;
      },
      correct: async (id, request, correction: RoomCorrection) => {
        await this.#unlessAway(() => this.#pace.correct(this.#named(request), { id, ...correction }));
      },
    };
  }

  #named({ name, account }: RoomRequest) {
    const short = name.slice(0, MAX_NAME);
    return { name: account === undefined ? short : `${short}#${account}`, limits: this.#limits.of(name) };
  }

  async #unlessAway<T>(send: () => Promise<T>): Promise<T | undefined> {
    try {
      return await send();
    } catch (cause) {
      const now = performance.now();
      if (now - this.#loggedAt >= LOG_EVERY_MS) {
        this.#loggedAt = now;
        const err = new Error('Redis keeps no pace: requests to models go ahead.', { cause });
        this.#emit({ kind: 'error', where: 'pace', err });
      }
      return undefined;
    }
  }
}
