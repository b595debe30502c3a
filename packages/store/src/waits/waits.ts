import { randomBytes } from 'node:crypto';
import { damagedRow, defineScript, integer, text, tuple, verdict, word } from '@switchyard/redis';
import type { ChangeDependencies } from '../deployment/deployment.ts';
import type { Scope } from '../deployment/scope.ts';
import { type DueTasks, defineDueScript, workOffDue } from '../record/due-tasks.ts';
import { recordArgNames, recordKeyNames, turnCall } from '../record/record-args.ts';
import { TooManyResults } from '../steps/steps.ts';
import { originOf } from '../tasks/accept/origin.ts';
import { type OpenTurn, TurnFenced, WritesLost } from '../turns/open-turn.ts';
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
export const resumeTurnsScript = defineDueScript('resume-turns.lua', from, verdict({ damaged: damagedRow }));

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

/** Turns that wait for a time or an event without a process (docs/adr/0146). `OpenTurn.suspend` ends their runs. */
export class Waits {
  readonly #dependencies: ChangeDependencies;

  constructor(dependencies: ChangeDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * @throws {TurnFenced}
   * @throws {WritesLost}
   * @throws {TooManyResults}
   */
  async begin(turn: OpenTurn, { key, delayMs, untilMs, event = '' }: WaitRequest): Promise<BegunWait> {
    const { redis, settings } = this.#dependencies;
    const { keys, args } = turnCall(this.#dependencies, turn.start);
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
    const { keys, args } = turnCall(this.#dependencies, turn.start);
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

  /** Resumes turns whose time has come. @param shards default: all */
  resume(shards = this.#dependencies.shards.all): Promise<DueTasks> {
    return workOffDue(this.#dependencies, shards, { key: 'suspended', script: resumeTurnsScript });
  }
}

const orInfinity = (ms: number): number => (ms < 0 ? Number.POSITIVE_INFINITY : ms);
