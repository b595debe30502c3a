import type { Message } from '@switchyard/protocol';
import type { SteeringPort } from '../port/steering-port.ts';

/** The messages that arrive for a turn in memory while it runs, for all its attempts. */
export class MemorySteering implements SteeringPort {
  readonly messages: Message[] = [];
  readonly #listeners = new Set<() => void>();

  add(message: Message): void {
    this.messages.push(message);
    for (const listener of this.#listeners) listener();
  }

  async waiting(after: number): Promise<readonly Message[]> {
    return this.messages.slice(after);
  }

  onWaiting(listener: () => void): void {
    this.#listeners.add(listener);
  }
}
