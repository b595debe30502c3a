import {
  canFollow,
  type StatusEvent,
  type TaskState,
  type TurnEvent,
  type TurnFault,
  type WhileWorking,
} from '@switchyard/protocol';
import { TurnPace } from '../pace/turn-pace.ts';
import { BudgetSpent } from '../port/budget.ts';
import type { Outcome } from '../port/outcome.ts';
import { TurnEnded, TurnMisuseError } from '../port/turn-errors.ts';
import type { TurnInterruption } from '../port/turn-interruption.ts';
import type { TurnPort } from '../port/turn-port.ts';
import { Steering } from '../steering/steering.ts';
import { HalfCharacters } from './half-characters.ts';
import { PendingWaits } from './pending-waits.ts';
import { suppressUnhandled, TurnScope } from './turn-scope.ts';

/**
 * Status events that a run of a turn may publish: so many, and so many more for each second. Nothing else would stop an
 * agent that publishes in an endless loop before its timeout: a status without a message takes no memory.
 */
const STATUSES = 10_000;
const STATUSES_PER_SECOND = 10;

/**
 * The writes of one turn: validates state transitions, writes in order, and refuses writes after the outcome and after
 * the end of the turn. Keeps the errors of writes that the agent did not await.
 */
export class TurnJournal {
  readonly #port: TurnPort;
  readonly #interrupter = new AbortController();
  readonly #open = new Set<Promise<void>>();
  readonly #turnScope: TurnScope;
  readonly #halfCharacters = new HalfCharacters();
  /** What the turn waits for. */
  readonly pending = new PendingWaits();
  /** Unset: the agent gets no other messages while it works. */
  readonly steering: Steering | undefined;
  readonly pace: TurnPace;
  #state: TaskState;
  #settling: TaskState | undefined;
  #outcome: Outcome | undefined;
  #ended: TurnEnded | undefined;
  #portError: unknown;
  #firstError: unknown;
  #fault: TurnFault | undefined;
  #hasFailed = false;
  readonly #beganMs = performance.now();
  #statuses = 0;

  /** @param whileWorking of the agent */
  constructor(port: TurnPort, whileWorking: WhileWorking = 'queue') {
    this.#port = port;
    this.#turnScope = new TurnScope({ agent: port.input.agent, taskId: port.input.task.id });
    this.pace = new TurnPace(port, this.signal);
    this.#turnScope.pace = this.pace;
    this.#turnScope.showWait = (wait) => port.showWait?.(wait);
    this.#turnScope.onModelCall = (call) => port.noteModelCall?.(call);
    this.#turnScope.onBudgetCheck = () => this.checkBudget('model');
    this.#state = port.input.task.status.state;
    const { steering } = port;
    if (whileWorking !== 'steer' || !steering) return;
    const waiting = (after: number) => this.runEffect(() => steering.waiting(after));
    this.steering = new Steering({ waiting, onWaiting: (listener) => steering.onWaiting(listener) });
  }

  /** The task's state as of the last write of this turn. */
  get state(): TaskState {
    return this.#state;
  }

  /** Set once the outcome of the turn is durable. */
  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  /** Set once the turn no longer owns its task. */
  get ended(): TurnEnded | undefined {
    return this.#ended;
  }

  /** The error of the port, if it could not write; the agent did not cause it. */
  get portError(): unknown {
    return this.#portError;
  }

  /** The first write that failed, for the log. */
  get firstError(): unknown {
    return this.#firstError;
  }

  get signal(): AbortSignal {
    return this.#interrupter.signal;
  }

  /** The scope of the calling code: a step, or the turn itself. */
  get scope(): TurnScope {
    const current = TurnScope.current;
    return current?.turn === this.#turnScope ? current : this.#turnScope;
  }

  /** Asks the executor to stop. It may still write until `close`. */
  interrupt(reason: TurnInterruption): void {
    this.steering?.end();
    this.#interrupter.abort(reason);
  }

  /** From now on the agent can give the turn no outcome: it has failed, and `blame` is called before that is written. */
  refuseOutcomes(): void {
    this.#hasFailed = true;
  }

  /** Why the turn fails: the status that ends it takes this along, for operators. */
  blame(fault: TurnFault): void {
    this.#fault = fault;
  }

  /** Refuses all later writes. */
  close(reason: TurnInterruption): void {
    this.#end(new TurnEnded(reason));
  }

  /**
   * @param build makes the event; if it throws, the write rejects with its error
   * @throws {TurnMisuseError} after the outcome, or when the state may not follow the last one (A2A 4.1.3)
   * @throws {TurnEnded} when the turn no longer owns its task
   */
  write(build: () => TurnEvent): Promise<void> {
    const written = this.#write(build).catch((error: unknown) => {
      this.#firstError ??= error;
      throw error;
    });
    this.#open.add(written);
    return suppressUnhandled(written.finally(() => this.#open.delete(written)));
  }

  /**
   * Runs an operation with effects beyond this turn's events, such as a step or a call. None begins after the turn was
   * interrupted.
   * @throws {TurnInterruption}
   */
  runEffect<T>(operation: () => Promise<T>): Promise<T> {
    return suppressUnhandled(this.#runEffect(operation));
  }

  /** Runs an operation of the port that is right after the end of the turn as well: what it used, why a step failed. */
  runAlways<T>(operation: () => Promise<T>): Promise<T> {
    return this.#guarded(operation);
  }

  /** Call it before a request to a model, or to an agent. @throws {BudgetSpent} */
  async checkBudget(what: 'model' | 'call'): Promise<void> {
    if (!this.#port.checkBudget || this.#settling) return;
    const spent = await this.runEffect(async () => this.#port.checkBudget?.(what));
    if (spent) throw new BudgetSpent(spent);
  }

  /** Waits for all writes, also those that the agent did not await. */
  async flush(): Promise<void> {
    while (this.#open.size > 0) await Promise.allSettled(this.#open);
  }

  async #runEffect<T>(operation: () => Promise<T>): Promise<T> {
    this.#refuseAfterEnd();
    this.signal.throwIfAborted();
    return this.#guarded(operation);
  }

  async #write(build: () => TurnEvent): Promise<void> {
    this.#refuseAfterEnd();
    const built = build();
    const event =
      built.kind === 'artifact' ? this.#halfCharacters.complete(built) : this.#withFault(this.#withTaken(built));
    if (!event) return;
    const before = this.#state;
    if (event.kind === 'status') {
      if (!event.settles) this.#countStatus();
      this.#applyState(event);
    }
    await this.#publish(event, before);
    if (event.kind === 'status' && event.settles) this.#outcome = { state: event.state };
  }

  #countStatus(): void {
    const seconds = Math.ceil((performance.now() - this.#beganMs) / 1_000);
    if (++this.#statuses <= STATUSES + STATUSES_PER_SECOND * seconds) return;
    throw new TurnMisuseError(
      `The turn has published ${this.#statuses} status events within ${seconds} s: does it publish in an endless loop? ` +
        `It may publish ${STATUSES}, and ${STATUSES_PER_SECOND} more for each second.`,
    );
  }

  #refuseAfterEnd(): void {
    if (this.#ended) throw this.#ended;
    // A chunk after a lost one would leave a gap in the artifact.
    if (this.#portError !== undefined) throw this.#portError;
    const { step, events } = this.scope;
    if (events?.isAbandoned)
      throw new TurnMisuseError(
        `An attempt at the step "${step}" went on after it had failed: it can do nothing more.`,
      );
    if (this.#settling)
      throw new TurnMisuseError(
        `The turn has its outcome already (${this.#settling}): nothing can be published after it.`,
      );
  }

  #applyState({ state, settles }: StatusEvent): void {
    const { step } = this.scope;
    const concludes = settles || state === 'TASK_STATE_AUTH_REQUIRED';
    if (concludes && this.#hasFailed && !this.#fault)
      throw new TurnMisuseError(`The turn has failed: onFailure cannot make it ${state}.`);
    if (step && concludes)
      throw new TurnMisuseError(`The step "${step}" cannot end its turn: let it return, and say ${state} after it.`);
    if (!canFollow(this.#state, state)) throw new TurnMisuseError(`A task in ${this.#state} cannot become ${state}.`);
    this.#state = state;
    if (!settles) return;
    this.#settling = state;
    this.#turnScope.hasOutcome = true;
    this.steering?.end();
  }

  /** An event that answers the turn's message also answers the messages that the turn was given besides it. */
  #withTaken(event: StatusEvent): StatusEvent {
    const delivered = this.steering?.delivered ?? [];
    if (!(event.settles || event.answersCaller) || delivered.length === 0) return event;
    return { ...event, delivered: [...delivered] };
  }

  #withFault(event: TurnEvent): TurnEvent {
    return this.#fault && event.kind === 'status' && event.settles ? { ...event, fault: this.#fault } : event;
  }

  /** @param before the state of the task without the event */
  async #publish(event: TurnEvent, before: TaskState): Promise<void> {
    const { events } = this.scope;
    try {
      await this.#guarded(() => (events ?? this.#port).publish(event));
    } catch (error) {
      // The port refused the content of the event: the turn stays open, so that the agent can give another outcome.
      if (error instanceof TurnMisuseError) {
        if (event.kind === 'status') this.#state = before;
        this.#settling = undefined;
        this.#turnScope.hasOutcome = false;
      }
      throw error;
    }
  }

  async #guarded<T>(operation: () => Promise<T>): Promise<T> {
    try {
      return await operation();
    } catch (error) {
      if (error instanceof TurnEnded) this.#end(error);
      else if (!(error instanceof TurnMisuseError)) this.#portError ??= error;
      throw error;
    }
  }

  #end(ended: TurnEnded): void {
    this.#ended ??= ended;
    this.interrupt(ended.reason);
  }
}
