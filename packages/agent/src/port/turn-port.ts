import type { TurnEvent, TurnInput, UsageAmounts } from '@switchyard/protocol';
import type { BudgetAnswer, BudgetNotice } from './budget.ts';
import type { CallPort } from './call-port.ts';
import type { ContextPort } from './context-port.ts';
import type { ConversationPort } from './conversation-port.ts';
import type { FilePort } from './file-port.ts';
import type { LogLine } from './log-line.ts';
import type { LongWait } from './long-wait.ts';
import type { CountedUsage, ModelCall } from './model-call.ts';
import type { PacePort } from './pace-port.ts';
import type { SteeringPort } from './steering-port.ts';
import type { StepPort } from './step-port.ts';
import type { WaitPort } from './wait-port.ts';

/** What a turn uses of its worker, which implements it with the store; `@switchyard/agent/testing` does in memory. */
export interface TurnPort {
  readonly input: TurnInput;
  /** Aborted with a `TurnInterruption` as its reason. */
  readonly signal: AbortSignal;
  readonly steps: StepPort;
  readonly waits: WaitPort;
  readonly calls: CallPort;
  readonly context: ContextPort;
  readonly conversations: ConversationPort;
  /** Unset: no URL is read, and no file stored. */
  readonly files?: FilePort | undefined;
  /** Unset: nothing is limited. */
  readonly pace?: PacePort | undefined;
  /** Unset: the agent gets no other messages while it works. */
  readonly steering?: SteeringPort | undefined;
  /** Set if the turn's message was the answer whether the work for `input.message` may go on. */
  readonly budgetAnswer?: BudgetAnswer | undefined;
  /**
   * Call it before the agent's code runs: `input.message` then has as `raw` what its sender sent so, although it is kept
   * elsewhere. Unset: it has it already.
   * @returns undefined: it has it already
   * @throws {RetryableError} it cannot be read now. @throws {AgentError} it is damaged
   */
  restoreMessage?(): Promise<void> | undefined;
  /**
   * Publishes an event, in the order of the calls; the port adds timestamps, taskId and contextId. Resolves when the
   * event is durable; a chunk of an artifact, or a working status without content, may be written with the next event.
   * Any other error means that the worker could not write: the turn is retried.
   * @throws {TurnEnded} once the turn no longer owns the task
   * @throws {TurnMisuseError} the event exceeds a limit, such as the number of artifacts
   */
  publish(event: TurnEvent): Promise<void>;
  /**
   * Checks with the store whether the turn still owns its task, if it may have lost it unnoticed.
   * @throws {TurnEnded} it does not
   */
  confirm(): Promise<void>;
  /** Writes a log line, without anything that may be a secret. Never throws. */
  log(line: LogLine): void;
  /** For operators: the turn has long to wait. Undefined: it waits no more. Never throws. Unset: nobody reads it. */
  showWait?(wait: LongWait | undefined): void;
  /** Counts a request to a model, and notes it for operators. Never throws. Unset: nobody reads it. */
  noteModelCall?(call: ModelCall): void;
  /**
   * Call it before a request to a model, or to an agent. Unset: there are no budgets.
   * @returns what to say about a budget that is spent; undefined: the request may be made
   * @throws {TurnEnded} the turn no longer owns its task
   */
  checkBudget?(what: 'model' | 'call'): Promise<BudgetNotice | undefined>;
  /**
   * Call it before the work for `input.message` goes on, or the client is asked again: the results of its steps, calls
   * and waits are kept for this turn.
   * @param isAllowed the task may spend its budget once more
   * @throws {TurnEnded} the turn no longer owns its task
   */
  continueWork?(isAllowed: boolean): Promise<void>;
  /** Counts what was used of a model, also if the turn has lost its task. Resolves when it is stored. Unset: nobody does. */
  recordUsage?(usage: CountedUsage): Promise<void>;
  /** What the task has used of models so far, with all tasks below it. Unset: nobody counts. */
  spent?(): Promise<UsageAmounts>;
}
