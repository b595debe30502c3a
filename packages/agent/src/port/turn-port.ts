import type { TurnEvent, TurnInput } from '@switchyard/protocol';
import type { CallPort } from './call-port.ts';
import type { ContextPort } from './context-port.ts';
import type { ConversationPort } from './conversation-port.ts';
import type { LogLine } from './log-line.ts';
import type { SteeringPort } from './steering-port.ts';
import type { StepPort } from './step-port.ts';

/** What a turn needs. The worker implements it over the store, `@switchyard/agent/testing` in memory. */
export interface TurnPort {
  readonly input: TurnInput;
  /** Aborted with a `TurnInterruption` as its reason. */
  readonly signal: AbortSignal;
  readonly steps: StepPort;
  readonly calls: CallPort;
  readonly context: ContextPort;
  readonly conversations: ConversationPort;
  /** Unset: the agent gets no other messages while it works. */
  readonly steering?: SteeringPort | undefined;
  /**
   * Events keep the order of the calls; the port adds timestamps, taskId and contextId. Resolves when the event is
   * durable; a chunk of an artifact, or a status that says no more than that the work goes on, may be written with what
   * follows. Any other error counts as a fault of the machinery: the turn is run again.
   * @throws {TurnEnded} once the turn no longer owns the task
   * @throws {TurnMisuseError} for an event that cannot be taken for what it is, such as one artifact too many
   */
  publish(event: TurnEvent): Promise<void>;
  /**
   * Asks the store whether the turn still owns its task, if it may have lost it unnoticed.
   * @throws {TurnEnded} it does not
   */
  confirm(): Promise<void>;
  /** Never throws, and keeps nothing that may be a secret. */
  log(line: LogLine): void;
}
