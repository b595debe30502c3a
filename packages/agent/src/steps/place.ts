import type { StepEvents } from './step-events.ts';

/**
 * Where an agent is: in its turn, or in a step of it. Whatever it makes there (artifacts, calls) is numbered there, so that
 * it has the same number in every attempt, also when a step before it is not run again.
 */
export class Place {
  /** '' outside of steps. */
  readonly step: string;
  /** Where events go; unset: straight to the task. */
  readonly events: StepEvents | undefined;
  readonly #counts = new Map<string, number>();

  constructor(step = '', events?: StepEvents) {
    this.step = step;
    this.events = events;
  }

  /** 1 for the first thing of this kind and name, 2 for the next, … */
  number(kind: 'artifact' | 'message' | 'call' | 'join' | 'conversation', name: string): number {
    const number = (this.#counts.get(`${kind} ${name}`) ?? 0) + 1;
    this.#counts.set(`${kind} ${name}`, number);
    return number;
  }
}
