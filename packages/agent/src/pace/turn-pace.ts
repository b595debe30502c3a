import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { PacePort, RoomRequest } from '../port/pace-port.ts';
import { RetryableError, TurnMisuseError } from '../port/turn-errors.ts';
import type { TurnPort } from '../port/turn-port.ts';

/** Room for one request: see `turn.limit`. */
export interface Room {
  /** Whether a worker keeps the pace: a 429 can be answered by `slowDown`, and by asking for room again. */
  readonly isKept: boolean;
  /**
   * Say what the request has really used, if it differs from what it asked for.
   *
   *     const room = await turn.limit('translations', 500);
   *     await room.used(turn.text.length);
   */
  used(tokens: number): Promise<void>;
  /**
   * The service wants fewer requests: no worker begins another one of this name for so long.
   *
   *     const room = await turn.limit('maps');
   *     const response = await fetch('https://maps.example/berlin', { signal: turn.signal });
   *     if (response.status === 429) await room.slowDown(10_000);
   */
  slowDown(ms: number): Promise<void>;
}

/** One answer of a service must not stop everybody for longer. */
const MAX_PAUSE_MS = 3_600_000;

/** A wait that lasts this long is logged, and shown to operators. */
const LONG_WAIT_MS = 3_000;

interface Wait {
  readonly begunMs: number;
  isLogged: boolean;
}

const endless: Room = { isKept: false, used: async () => undefined, slowDown: async () => undefined };

/** Lets a turn wait until there is room for its requests. */
export class TurnPace {
  readonly #port: Pick<TurnPort, 'pace' | 'log' | 'showWait'>;
  readonly #signal: AbortSignal;
  /** By name: a request that its service refused waits again, and goes on with the wait that it had. */
  readonly #refused = new Map<string, Wait>();
  /** When the turn will be interrupted, as performance.now(). */
  endsAt = Number.POSITIVE_INFINITY;

  constructor(port: Pick<TurnPort, 'pace' | 'log' | 'showWait'>, signal: AbortSignal) {
    this.#port = port;
    this.#signal = signal;
  }

  /**
   * @throws the reason of the turn's signal
   * @throws {RetryableError} there is no room before the turn's time is over
   * @throws {TurnMisuseError}
   */
  async room(request: RoomRequest): Promise<Room> {
    check(request);
    const { pace } = this.#port;
    this.#signal.throwIfAborted();
    if (!pace) return endless;
    const id = randomUUID();
    const wait = this.#refused.get(request.name) ?? { begunMs: performance.now(), isLogged: false };
    this.#refused.delete(request.name);
    let isLong = false;
    try {
      for (let tag: string | undefined; ; ) {
        const reply = await pace.ask(id, request, tag);
        this.#checkTime(request, reply.inMs);
        if (!isLong && reply.inMs > 0 && performance.now() - wait.begunMs + reply.inMs >= LONG_WAIT_MS) {
          isLong = true;
          this.#port.showWait?.({ for: 'limit', text: request.name });
          this.#logOnce(
            wait,
            `Waits for room of the limit "${request.name}", in about ${Math.ceil(reply.inMs / 1_000)} s`,
          );
        }
        const isFree = reply.verdict === 'go';
        await this.#delay(isFree ? reply.inMs : reply.askMs);
        if (isFree) return this.#roomOf(pace, id, { request, wait });
        tag = reply.tag;
      }
    } finally {
      if (isLong) this.#port.showWait?.(undefined);
    }
  }

  #roomOf(pace: PacePort, id: string, { request, wait }: { request: RoomRequest; wait: Wait }): Room {
    const { name, tokens: reserved = 0 } = request;
    return {
      isKept: true,
      used: (tokens) => pace.correct(id, request, { tokens: wholeAmount(tokens) - reserved }),
      slowDown: (ms) => {
        this.#refused.set(name, wait);
        return pace.correct(id, request, { pausedMs: Math.min(wholeAmount(ms), MAX_PAUSE_MS) });
      },
    };
  }

  #logOnce(wait: Wait, text: string): void {
    if (!wait.isLogged) this.#port.log({ level: 'info', text, fields: {} });
    wait.isLogged = true;
  }

  #checkTime({ name }: RoomRequest, inMs: number): void {
    if (performance.now() + inMs <= this.endsAt) return;
    const cause = new Error(`The limit "${name}" has room in ${inMs} ms, after the time of the turn is over.`);
    throw new RetryableError('Too many requests wait for a service.', { retryAfterMs: inMs, cause });
  }

  async #delay(ms: number): Promise<void> {
    try {
      if (ms > 0) await delay(ms, undefined, { signal: this.#signal });
    } catch (error) {
      throw this.#signal.aborted ? this.#signal.reason : error;
    }
  }
}

/** A header of a service may have been no number. */
const wholeAmount = (amount: number): number => Math.max(0, Math.ceil(amount) || 0);

function check({ name, tokens = 0 }: RoomRequest): void {
  if (typeof name !== 'string' || name === '') throw new TurnMisuseError('A limit needs a name.');
  if (!Number.isSafeInteger(tokens) || tokens < 0)
    throw new TurnMisuseError(`The limit "${name}" needs a whole number of tokens from 0, not ${tokens}.`);
}
