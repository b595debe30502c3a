import type { Message } from '@switchyard/protocol';

/** The messages that arrive for a task while its turn runs. */
export interface SteeringPort {
  /**
   * The messages that wait behind the turn's own, in the order in which they were accepted, without the first `after`.
   * They stay in the inbox until an outcome names them in `delivered`.
   * @throws {TurnEnded}
   */
  waiting(after: number): Promise<readonly Message[]>;
  /** @param listener called when other messages may wait */
  onWaiting(listener: () => void): void;
}
