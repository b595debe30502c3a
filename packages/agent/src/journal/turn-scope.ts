import { AsyncLocalStorage } from 'node:async_hooks';
import type { TurnPace } from '../pace/turn-pace.ts';
import type { LongWait } from '../port/long-wait.ts';
import type { ModelCall } from '../port/model-call.ts';
import type { StepEvents } from './step-events.ts';

const scopes = new AsyncLocalStorage<TurnScope>();

/** The agent and the task of a turn. */
export interface ScopeOwner {
  readonly agent: string;
  readonly taskId: string;
}

/**
 * The scope of an agent's code: its turn, or a step of it. Code that it starts belongs to the scope as well, even if it
 * is not awaited. Artifacts, messages and calls are numbered per scope, so that they have the same number in every
 * attempt, even if an earlier step does not run again.
 */
export class TurnScope {
  readonly owner: ScopeOwner;
  /** '' outside of steps. */
  readonly step: string;
  /** The step's events; unset: events are written directly. */
  readonly events: StepEvents | undefined;
  /** The scope of the whole turn. */
  readonly turn: TurnScope;
  /** Of the whole turn: gets its requests to models. */
  onModelCall: ((call: ModelCall) => void) | undefined;
  /** Of the whole turn: rejects if a budget is spent. */
  onBudgetCheck: (() => Promise<void>) | undefined;
  /** Of the whole turn: shows operators what it waits for. */
  showWait: ((wait: LongWait | undefined) => void) | undefined;
  /** Of the whole turn. */
  pace: TurnPace | undefined;
  /** Of the whole turn: its outcome is written, or being written. */
  hasOutcome = false;
  readonly #counts = new Map<string, number>();
  readonly #failure = Promise.withResolvers<never>();

  constructor(
    owner: ScopeOwner,
    step?: { readonly name: string; readonly events: StepEvents; readonly turn: TurnScope },
  ) {
    this.owner = owner;
    this.step = step?.name ?? '';
    this.events = step?.events;
    this.turn = step?.turn ?? this;
  }

  /** The scope of the running code; undefined outside of turns. */
  static get current(): TurnScope | undefined {
    return scopes.getStore();
  }

  /** The scope of a step of this turn. */
  enterStep(name: string, events: StepEvents): TurnScope {
    return new TurnScope(this.owner, { name, events, turn: this.turn });
  }

  /** Rejects once code of the turn has left a rejection unhandled. */
  get failure(): Promise<never> {
    return this.turn.#failure.promise;
  }

  run<T>(execute: () => Promise<T>): Promise<T> {
    return scopes.run(this, execute);
  }

  /** Fails the turn with an unhandled rejection of its code. Without effect after the end of the turn. */
  fail(error: unknown): void {
    this.turn.#failure.reject(error);
  }

  /** 1 for the first one of this kind and name, 2 for the next, … */
  number(kind: 'artifact' | 'message' | 'call' | 'join' | 'conversation' | 'wait', name: string): number {
    const number = (this.#counts.get(`${kind} ${name}`) ?? 0) + 1;
    this.#counts.set(`${kind} ${name}`, number);
    return number;
  }
}

/**
 * For the process' listeners of `unhandledRejection` and `uncaughtException`, which Node calls in the async context of
 * the promise, or of the code that threw.
 *
 *     process.on('unhandledRejection', (error) => {
 *       if (!failTurnOf(error)) process.exit(1);
 *     });
 *
 * @returns the turn that the error belongs to, failed now unless it has its outcome; undefined: it belongs to no turn
 */
export function failTurnOf(error: unknown): (ScopeOwner & { readonly hasOutcome: boolean }) | undefined {
  const scope = TurnScope.current;
  scope?.fail(error);
  return scope && { ...scope.owner, hasOutcome: scope.turn.hasOutcome };
}

/**
 * The turn whose code is running; undefined outside of turns.
 *
 *     const taskId = runningTurn()?.taskId ?? 'none';
 */
export function runningTurn(): ScopeOwner | undefined {
  return TurnScope.current?.owner;
}

/**
 * Keeps a write that is not awaited from ending the worker as an unhandled rejection: the journal keeps its error. V8
 * adds the author's `await` to an error's stack only while nothing else listens to the promise, so this listens when the
 * promise rejects, not before.
 * @returns the promise for the author
 */
export function suppressUnhandled<T>(promise: Promise<T>): Promise<T> {
  const awaited = promise.catch((error: unknown) => {
    awaited.catch(() => undefined);
    throw error;
  });
  return awaited;
}
