import { randomBytes } from 'node:crypto';
import {
  type DurableDependencies,
  damagedMembers,
  damagedRow,
  defineScript,
  integer,
  SET_ASIDE_MS,
  text,
  tuple,
  tupleAnd,
  verdict,
  word,
  workOff,
} from '@switchyard/redis';
import type { ShardKeys } from '../deployment/keys.ts';
import type { Scope } from '../deployment/scope.ts';
import {
  recordArgNames,
  recordArgValues,
  recordKeyNames,
  settingsArgNames,
  settingsArgValues,
  sharedKeyNames,
} from '../record/record-args.ts';
import { TooManyResults } from '../steps/steps.ts';
import { originOf } from '../tasks/accept/origin.ts';
import { type OpenTurn, TurnFenced, WritesLost } from '../turns/open-turn.ts';
import type { TurnsDependencies } from '../turns/turns-dependencies.ts';
import { type EventCheck, type GivenEvent, type GiveOptions, type Giving, giveEvent, hashOf } from './give-event.ts';

const from = import.meta.url;
const beginWaitScript = defineScript({
  file: 'begin-wait.lua',
  from,
  keys: recordKeyNames,
  args: [...recordArgNames, 'fence', 'key', 'known', 'delayMs', 'untilMs', 'event', 'maxResults'],
  reply: tuple(word('done', 'waits', 'full', 'fenced', 'canceling', 'gap'), text, integer, integer),
});
const makeCallbackScript = defineScript({
  file: 'make-callback.lua',
  from,
  keys: recordKeyNames,
  args: [...recordArgNames, 'fence', 'key', 'known', 'event', 'token', 'hash'],
  reply: tuple(word('made', 'fenced', 'canceling', 'gap'), text),
});
export const resumeTurnsScript = defineScript({
  file: 'resume-turns.lua',
  from,
  keys: ['suspended', ...sharedKeyNames, 'queues'],
  args: [...settingsArgNames, 'claimMs', 'limit'],
  reply: tupleAnd([integer, integer, integer], verdict({ damaged: damagedRow })),
});

/** Turns that one script resumes: bounds its duration. */
const TURNS_AT_ONCE = 100;
/** A wait of a turn; the same key finds it again in a later run. Without a time only the event ends it. */
export interface WaitRequest {
  readonly key: string;
  readonly delayMs?: number | undefined;
  /** Since 1970. At most one of the two. */
  readonly untilMs?: number | undefined;
  /** Name of the event that ends it. */
  readonly event?: string | undefined;
}

/**
 * `done`: the wait has ended, by its time (result: '') or by its event (`{"data":…}`). `waits`: it ends at `dueMs` by
 * Redis' clock, in `leftMs`; Infinity: only by its event. `canceling`: the task will end.
 */
export type BegunWait =
  | { readonly verdict: 'done'; readonly result: string }
  | { readonly verdict: 'waits'; readonly dueMs: number; readonly leftMs: number }
  | { readonly verdict: 'canceling' };

/** An event that is given by a callback. */
export interface CallbackEvent {
  /** As of `Waits.callback`. */
  readonly token: string;
  /** JSON. */
  readonly data: string;
  readonly check?: EventCheck;
}

export interface ResumedTurns {
  readonly count: number;
  readonly errors: readonly unknown[];
  /** Time until the next one is due; Infinity: none has a time. */
  readonly nextInMs: number;
}

type WaitsDependencies = TurnsDependencies & DurableDependencies;

/** Turns that wait for a time or an event without a process (docs/adr/0146). `OpenTurn.suspend` ends their runs. */
export class Waits {
  readonly #dependencies: WaitsDependencies;

  constructor(dependencies: WaitsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * @throws {TurnFenced}
   * @throws {WritesLost}
   * @throws {TooManyResults}
   */
  async begin(turn: OpenTurn, { key, delayMs, untilMs, event = '' }: WaitRequest): Promise<BegunWait> {
    const { redis, settings } = this.#dependencies;
    const { keys, args } = this.#call(turn);
    const wait = {
      key,
      known: turn.lastResult,
      delayMs: delayMs ?? '',
      untilMs: untilMs ?? '',
      event,
      maxResults: settings.maxStepsBytes,
    };
    const [word, result, dueMs, leftMs] = await beginWaitScript.run(redis, { keys, args: { ...args, ...wait } });
    if (word === 'done') {
      turn.lastResult = key;
      return { verdict: word, result };
    }
    if (word === 'canceling') return { verdict: word };
    if (word === 'full') throw new TooManyResults(settings.maxStepsBytes);
    if (word === 'gap') throw new WritesLost();
    if (word === 'fenced') throw new TurnFenced();
    turn.lastWait = key;
    return { verdict: word, dueMs: orInfinity(dueMs), leftMs: orInfinity(leftMs) };
  }

  /**
   * A secret with which everyone can give the turn an event, until the turn ends.
   * @param key of the callback, in all runs of the turn
   * @throws {TurnFenced}
   * @throws {WritesLost}
   */
  async callback(turn: OpenTurn, key: string, event: string): Promise<string | 'canceling'> {
    const token = randomBytes(24).toString('base64url');
    const { keys, args } = this.#call(turn);
    const [word, made] = await makeCallbackScript.run(this.#dependencies.redis, {
      keys,
      args: { ...args, key, known: turn.lastResult, event, token, hash: hashOf(token) },
    });
    if (word === 'gap') throw new WritesLost();
    if (word === 'fenced') throw new TurnFenced();
    if (word === 'made') turn.lastResult = key;
    return word === 'made' ? made : word;
  }

  /** @throws {NotReplicated} the event may be kept nevertheless */
  give(scope: Scope, taskId: string, event: GivenEvent, options?: GiveOptions): Promise<Giving> {
    return giveEvent(this.#dependencies, scope, taskId, event, options);
  }

  /**
   * Gives an event by a callback. A body that is sent again is the same event.
   * @throws {NotReplicated}
   */
  async giveByCallback(taskId: string, { token, data, check }: CallbackEvent): Promise<Giving> {
    const origin = await originOf(this.#dependencies, taskId);
    if (!origin) return { verdict: 'missing' };
    const callback = hashOf(token);
    const event = { name: '', data, id: `${callback} ${data}`, callback };
    return giveEvent(this.#dependencies, origin.scope, taskId, event, { seesHidden: true, ...(check && { check }) });
  }

  /**
   * Resumes turns whose time has come. Several processes may do so at once.
   * @param shards default: all
   */
  async resume(shards = this.#dependencies.shards.all): Promise<ResumedTurns> {
    const all = await Promise.all(shards.map((keys) => this.#resumeIn(keys)));
    return {
      count: all.reduce((sum, { count }) => sum + count, 0),
      errors: all.flatMap(({ errors }) => errors),
      nextInMs: Math.min(...all.map(({ nextInMs }) => nextInMs)),
    };
  }

  /** Number of suspended turns. */
  async count(): Promise<number> {
    const { redis, shards } = this.#dependencies;
    const counts = await Promise.all(shards.all.map(({ suspended }) => redis.zcard(suspended)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async #resumeIn(keys: ShardKeys): Promise<ResumedTurns> {
    const { redis, settings } = this.#dependencies;
    const { suspended, queues } = keys;
    let count = 0;
    let nextInMs = 0;
    const { errors } = await workOff({
      redis,
      key: suspended,
      limit: TURNS_AT_ONCE,
      claim: async () => {
        const [nowMs, done, next, ...rows] = await resumeTurnsScript.run(redis, {
          keys: { suspended, ...keys.shared, queues },
          args: {
            ...settingsArgValues(settings),
            claimMs: SET_ASIDE_MS,
            limit: TURNS_AT_ONCE,
          },
        });
        count += done;
        nextInMs = next < 0 || next > LONGEST_MS ? Number.POSITIVE_INFINITY : next;
        return { nowMs, claimed: [], damaged: damagedMembers(rows), done };
      },
      work: async () => undefined,
    });
    return { count, errors, nextInMs };
  }

  #call({ start: { taskId, fence } }: OpenTurn) {
    const { shards, settings } = this.#dependencies;
    return { keys: shards.of(taskId).record(taskId), args: { ...recordArgValues(taskId, settings), fence } };
  }
}

/** A turn that resumes later than in a hundred years waits for an event only: see suspended.lua. */
const LONGEST_MS = 100 * 365 * 24 * 3_600_000;

const orInfinity = (ms: number): number => (ms < 0 ? Number.POSITIVE_INFINITY : ms);
