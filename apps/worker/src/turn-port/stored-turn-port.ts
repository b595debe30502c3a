import { TurnEnded, type TurnEvent, TurnMisuseError, type TurnPort } from '@switchyard/agent';
import type { Message, Metadata, Task } from '@switchyard/protocol';
import { TurnEnded as EndedInStore, type OpenTurn, type Principal, TooManyArtifacts } from '@switchyard/store';

/** What a turn stands on, over the store. */
export class StoredTurnPort implements TurnPort {
  readonly task: Task;
  readonly message: Message;
  readonly principal: Principal;
  readonly attempt: number;
  readonly isLastAttempt: boolean;
  readonly acceptedOutputModes: readonly string[];
  readonly extensions: readonly string[];
  readonly metadata: Metadata;
  readonly signal: AbortSignal;
  readonly #turn: OpenTurn;

  constructor(turn: OpenTurn, signal: AbortSignal) {
    const { task, delivery, principal, attempt, isLastAttempt } = turn.start;
    this.#turn = turn;
    this.signal = signal;
    this.task = task;
    this.message = delivery.message;
    this.principal = principal;
    this.attempt = attempt;
    this.isLastAttempt = isLastAttempt;
    this.acceptedOutputModes = delivery.acceptedOutputModes ?? [];
    this.extensions = delivery.extensions ?? [];
    this.metadata = delivery.metadata ?? {};
  }

  async publish(event: TurnEvent): Promise<void> {
    try {
      await this.#turn.publish(event);
    } catch (error) {
      if (error instanceof EndedInStore) throw new TurnEnded();
      if (error instanceof TooManyArtifacts) throw new TurnMisuseError(error.message);
      throw error;
    }
  }
}
