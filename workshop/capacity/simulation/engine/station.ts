import type { Clock } from './clock.ts';
import { Places } from './places.ts';

/** Something that serves one after the other: a processor, or several with one queue before them. */
export class Station {
  readonly #clock: Clock;
  readonly #places: Places;
  #processors: number;
  /** Seconds of service so far. */
  busySeconds = 0;

  constructor(clock: Clock, processors = 1) {
    this.#clock = clock;
    this.#processors = processors;
    this.#places = new Places(processors);
  }

  get waiting(): number {
    return this.#places.waiting;
  }

  serve(seconds: number, then: () => void): void {
    this.#places.take(() => {
      this.busySeconds += seconds;
      this.#clock.after(seconds, () => {
        this.#places.leave();
        then();
      });
    });
  }

  resize(processors: number): void {
    this.#processors = processors;
    this.#places.resize(processors);
  }

  /** Serves nobody for so long; what comes meanwhile waits. */
  stopFor(seconds: number): void {
    this.#places.resize(0);
    this.#clock.after(seconds, () => this.#places.resize(this.#processors));
  }
}
