import { setTimeout as delay } from 'node:timers/promises';
import { StepEvents } from '../journal/step-events.ts';
import type { TurnJournal } from '../journal/turn-journal.ts';
import { withCaller } from '../journal/with-caller.ts';
import { TurnMisuseError } from '../port/turn-errors.ts';
import type { TurnPort } from '../port/turn-port.ts';
import { waitOrSuspend } from '../waits/wait-or-suspend.ts';
import { type StepAttempt, type StepOptions, StepPolicy, StepTimedOut } from './step-options.ts';
import { readResult, writeResult } from './step-result.ts';

/** A delay up to this long holds the process. A longer one suspends the turn, which then runs again from its beginning. */
const LONG_MS = 5_000;

/** Attempts at a step that have failed. `retryAfterMs` unset: an earlier run of the turn has begun the wait. */
interface Failed {
  readonly attempts: number;
  readonly retryAfterMs: number | undefined;
}

/** How a step is run. `site`: an error made where the author called it. */
interface Conditions {
  readonly policy: StepPolicy;
  readonly site: Error;
}

/** The function of a step. */
export type StepFunction<T> = (attempt: StepAttempt) => T | Promise<T>;

/** Runs what is around an attempt at a step. */
export type AroundStep = (attempt: StepAttempt, next: () => Promise<unknown>) => Promise<unknown>;

/** The steps of one turn. */
export class TurnSteps {
  readonly #port: TurnPort;
  readonly #journal: TurnJournal;
  readonly #around: AroundStep;
  readonly #taken = new Set<string>();

  constructor(port: TurnPort, journal: TurnJournal, around: AroundStep = (_, next) => next()) {
    this.#port = port;
    this.#journal = journal;
    this.#around = around;
  }

  async run<T>(name: string, execute: StepFunction<T>, options: StepOptions = {}): Promise<T> {
    const conditions = { policy: new StepPolicy(name, options), site: new Error() };
    this.#take(name);
    try {
      return await this.#untilDone(name, execute, conditions);
    } catch (error) {
      // The step has no result: the agent may catch the error and run it again.
      this.#taken.delete(name);
      throw error;
    }
  }

  async #untilDone<T>(name: string, execute: StepFunction<T>, conditions: Conditions): Promise<T> {
    const { pending } = this.#journal;
    for (let failed: Failed | undefined; ; ) {
      const before = failed?.attempts;
      const ended = await pending.during(() => this.#attempt(name, execute, { ...conditions, before }));
      if ('value' in ended) return ended.value;
      failed = ended;
      await this.#wait(name, failed);
    }
  }

  /** Reserves a name. Results are found by name: two steps with the same name would get each other's. */
  #take(name: string): void {
    if (!/^[^\p{Cc}]{1,200}$/u.test(name))
      throw new TurnMisuseError(`A step needs a name of 1 to 200 printable characters, not ${JSON.stringify(name)}.`);
    if (this.#taken.has(name))
      throw new TurnMisuseError(
        `The turn has a step "${name}" already: give each its own name, in a loop for example \`${name} \${id}\`.`,
      );
    this.#taken.add(name);
  }

  /** @throws the error of the step, if it is not retried */
  async #attempt<T>(
    name: string,
    execute: StepFunction<T>,
    { before, policy, site }: Conditions & { readonly before: number | undefined },
  ): Promise<{ readonly value: T } | Failed> {
    const { steps } = this.#port;
    const key = `step ${name}`;
    const beginning = await this.#journal.runEffect(() => steps.begin(key));
    if (beginning.kind === 'done') return { value: readResult(beginning.result) };
    // The turn was suspended after so many attempts: perhaps it runs again before the next one is due.
    if (before === undefined && beginning.failed > 0) return { attempts: beginning.failed, retryAfterMs: undefined };
    const attempt = (before ?? 0) + 1;
    const events = new StepEvents(key, beginning.mark, (event) => this.#port.publish(event));
    const scope = this.#journal.scope.enterStep(name, events);
    const run = (signal: AbortSignal) => {
      const begun = { name, attempt, isLastAttempt: attempt >= policy.attempts, signal };
      return scope.run(() => this.#around(begun, async () => execute(begun)));
    };
    let result: string;
    try {
      // A result that cannot be stored is a failure of the step, as an error of its code is.
      const ran = () => withCaller(site, this.#inTime(name, policy, run));
      result = await steps.run({ name, attempt }, async () => writeResult(name, await ran()));
    } catch (error) {
      const retryAfterMs = this.#isLost ? undefined : policy.delayMs(error, attempt);
      await events.abandon();
      await this.#journal.runAlways(() => steps.noteFailure(name, error, retryAfterMs));
      if (retryAfterMs === undefined) throw error;
      return { attempts: attempt, retryAfterMs };
    }
    await this.#journal.runEffect(async () => {
      await events.end();
      await steps.end(key, result);
    });
    // Returns the result as a retried turn gets it, for example a Date as a string.
    return { value: readResult(result) };
  }

  /** Runs an attempt until it ends or its time is over, whether or not it heeds its signal. */
  async #inTime<T>(name: string, { timeoutMs }: StepPolicy, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal } = this.#journal;
    if (timeoutMs === undefined) return run(signal);
    const late = new AbortController();
    const { promise: timeout, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      const error = new StepTimedOut(name, timeoutMs);
      reject(error);
      late.abort(error);
    }, timeoutMs);
    try {
      return await Promise.race([run(AbortSignal.any([signal, late.signal])), timeout]);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Waits before the next attempt at a step. A long delay may suspend the turn, but not one in a step, which would run
   * again from its beginning.
   * @throws {TurnInterruption}
   */
  async #wait(name: string, { attempts, retryAfterMs }: Failed): Promise<void> {
    const { pending, signal, scope } = this.#journal;
    if (retryAfterMs !== undefined) {
      if (retryAfterMs <= LONG_MS || scope.step !== '')
        return pending.during(() => delay(retryAfterMs, undefined, { signal }).catch(() => signal.throwIfAborted()));
      await pending.during(() => this.#journal.runEffect(() => this.#port.steps.postpone(`step ${name}`, attempts)));
    }
    const key = `retry ${this.#port.input.attempt}.${attempts} ${name}`;
    await waitOrSuspend(this.#port.waits, this.#journal, { key, delayMs: retryAfterMs ?? 0 });
  }

  /** Whether the turn cannot go on, so that no step is retried. */
  get #isLost(): boolean {
    return this.#journal.signal.aborted || this.#journal.portError !== undefined;
  }
}
