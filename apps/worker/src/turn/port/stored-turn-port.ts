import { type Agent, TurnEnded, TurnInterruption } from '@switchyard/agent';
import {
  type BudgetAnswer,
  type BudgetNotice,
  type CountedUsage,
  continuedWork,
  type FilePort,
  type LogLine,
  type LongWait,
  type ModelCall,
  type PacePort,
  type SteeringPort,
  type TurnPort,
} from '@switchyard/agent/runtime';
import { Conversations } from '@switchyard/conversations';
import type { Part, TurnEvent, TurnInput, UsageAmounts } from '@switchyard/protocol';
import type { OpenTurn } from '@switchyard/store';
import type { WorkerFiles } from '../../files/worker-files.ts';
import type { StoredPace } from '../../pace/stored-pace.ts';
import type { TurnFailures } from '../failures/turn-failures.ts';
import { mapStoreErrors } from './store-errors.ts';
import type { StoredBudget } from './stored-budget.ts';
import { type CallDependencies, StoredCalls } from './stored-calls.ts';
import { StoredContext } from './stored-context.ts';
import { StoredConversations } from './stored-conversations.ts';
import { StoredSteps } from './stored-steps.ts';
import type { StoredUsage } from './stored-usage.ts';
import { StoredWaits } from './stored-waits.ts';

/** What the worker gives a running turn. */
export interface TurnControls {
  /** Aborted with a `TurnInterruption`, also when the turn is lost. */
  readonly signal: AbortSignal;
  /**
   * Checks with Redis whether the turn is lost, if its lease may have expired unnoticed. If it is lost, the signal is
   * aborted when this resolves.
   */
  readonly confirm: () => Promise<void>;
  readonly onLog: (line: LogLine) => void;
  readonly failures: TurnFailures;
  readonly usage: StoredUsage;
  readonly budget: StoredBudget;
}

type TurnWorkerFiles = Pick<WorkerFiles, 'of' | 'keep' | 'hasLargeRaw' | 'move' | 'restore'>;

interface StoredTurnDependencies extends CallDependencies {
  readonly files: TurnWorkerFiles;
  readonly agent: Pick<Agent, 'whileWorking'>;
  /** Of the gateway, as services outside reach it. */
  readonly publicUrl?: string | undefined;
  readonly pace: Pick<StoredPace, 'of'>;
  /** Shows what a turn has long to wait for. */
  readonly turns: { setWait(turn: OpenTurn, wait: LongWait | undefined): void };
}

/** A turn's port, implemented with the store. */
export class StoredTurnPort implements TurnPort {
  input: TurnInput;
  readonly signal: AbortSignal;
  readonly steps: StoredSteps;
  readonly waits: StoredWaits;
  readonly calls: StoredCalls;
  readonly context: StoredContext;
  readonly conversations: StoredConversations;
  readonly files: FilePort;
  readonly steering: SteeringPort | undefined;
  readonly pace: PacePort;
  readonly showWait: (wait: LongWait | undefined) => void;
  readonly budgetAnswer: BudgetAnswer | undefined;
  readonly #turn: OpenTurn;
  readonly #controls: TurnControls;
  readonly #workerFiles: TurnWorkerFiles;
  /** Resolves when all events before have been written, or wait to be. Unset: none waits for its files. */
  #moving: Promise<unknown> | undefined;

  constructor(dependencies: StoredTurnDependencies, turn: OpenTurn, controls: TurnControls) {
    const { store, agent, pace, turns } = dependencies;
    this.showWait = (wait) => turns.setWait(turn, wait);
    this.#turn = turn;
    this.#controls = controls;
    this.signal = controls.signal;
    const { input, answer } = continuedWork(turn.start);
    this.input = input;
    this.budgetAnswer = answer;
    this.steps = new StoredSteps(store.steps, turn, { confirm: () => this.confirm(), failures: controls.failures });
    this.waits = new StoredWaits(store.waits, turn, dependencies.publicUrl);
    this.calls = new StoredCalls(dependencies, turn, controls.failures);
    this.context = new StoredContext(store, turn);
    this.conversations = new StoredConversations(new Conversations(store.inside), turn);
    this.#workerFiles = dependencies.files;
    this.files = dependencies.files.of(turn);
    this.pace = pace.of(turn.start.principal.tenant);
    this.steering = agent.whileWorking === 'steer' ? steeringOf(turn, dependencies.files) : undefined;
  }

  restoreMessage(): Promise<void> | undefined {
    const { principal, message } = this.input;
    return this.#workerFiles.restore(principal, message)?.then((restored) => {
      this.input = { ...this.input, message: restored };
    });
  }

  publish(event: TurnEvent): Promise<void> {
    return this.#moving || this.#workerFiles.hasLargeRaw(partsOf(event)) ? this.#moveFirst(event) : this.#write(event);
  }

  /** Events are written in the order of the calls, also those after one whose content is stored elsewhere before. */
  async #moveFirst(event: TurnEvent): Promise<void> {
    const before = this.#moving;
    const stored = (async () => {
      await before;
      const moved = await this.#withoutLargeRaw(event);
      // Its promise is not waited for: the next events may be written together with this one.
      return { written: this.#write(moved, partsOf(event)) };
    })();
    const moving = stored.then(ignore, ignore).then(() => {
      if (this.#moving === moving) this.#moving = undefined;
    });
    this.#moving = moving;
    return (await stored).written;
  }

  async #withoutLargeRaw(event: TurnEvent): Promise<TurnEvent> {
    const parts = partsOf(event);
    if (!this.#workerFiles.hasLargeRaw(parts)) return event;
    const { principal, taskId, agent } = this.#turn.start;
    const moved = await this.#workerFiles.move(parts, { principal, taskId, agent });
    if (event.kind === 'artifact') return { ...event, artifact: { ...event.artifact, parts: moved } };
    return event.message ? { ...event, message: { ...event.message, parts: moved } } : event;
  }

  /** @param parts whose files are kept for the task */
  #write(event: TurnEvent, parts = partsOf(event)): Promise<void> {
    const turn = this.#turn;
    if (isWorkingWithoutMessage(event)) return mapStoreErrors(() => turn.announce(event));
    const failure = event.kind === 'status' ? this.#controls.failures.ofOutcome(event) : undefined;
    const { principal, taskId } = turn.start;
    const kept = this.#workerFiles.keep(principal, parts, taskId);
    // Events are written in the order of the calls: none waits here for its files.
    const published = mapStoreErrors(() => turn.publish(event, failure));
    return kept ? Promise.all([published, kept]).then(() => undefined) : published;
  }

  async confirm(): Promise<void> {
    await this.#controls.confirm();
    if (!this.signal.aborted) return;
    const reason = TurnInterruption.from(this.signal.reason);
    if (reason.kind === 'taken-over') throw new TurnEnded(reason);
  }

  log(line: LogLine): void {
    this.#controls.onLog(line);
  }

  noteModelCall(call: ModelCall): void {
    this.#controls.usage.ofModelCall(call);
  }

  checkBudget(what: 'model' | 'call'): Promise<BudgetNotice | undefined> {
    return mapStoreErrors(() => this.#controls.budget.check(what));
  }

  continueWork(isAllowed: boolean): Promise<void> {
    return mapStoreErrors(() => this.#turn.continueWork(isAllowed));
  }

  recordUsage(usage: CountedUsage): Promise<void> {
    return this.#controls.usage.record(usage);
  }

  spent(): Promise<UsageAmounts> {
    return mapStoreErrors(() => this.#turn.spent());
  }
}

function partsOf(event: TurnEvent): readonly Part[] {
  return (event.kind === 'artifact' ? event.artifact : event.message)?.parts ?? [];
}

const ignore = (): void => undefined;

function steeringOf(turn: OpenTurn, files: Pick<WorkerFiles, 'restore'>): SteeringPort {
  const { principal } = turn.start;
  return {
    waiting: async (after) => {
      const messages = await mapStoreErrors(() => turn.waiting(after));
      return Promise.all(messages.map((message) => files.restore(principal, message) ?? message));
    },
    onWaiting: (listener) => turn.onWaiting(listener),
  };
}

/** A working status without content need not be written before the agent goes on. */
function isWorkingWithoutMessage(event: TurnEvent): boolean {
  if (event.kind !== 'status' || event.state !== 'TASK_STATE_WORKING') return false;
  return !(event.settles || event.message || event.metadata || event.answersCaller || event.step);
}
