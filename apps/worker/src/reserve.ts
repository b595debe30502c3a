import type { Consumer } from '@switchyard/store';

type Place = Pick<Consumer, 'pause' | 'resume' | 'stop'>;

/**
 * Further places for an agent all of whose turns wait for turns of others: those may, in the end, be its own. Without them agents that
 * call each other in circles, or one that calls itself, would wait for ever as soon as enough clients ask at once. They are for turns
 * that are waited for and for no others: new work in them would wait in its turn, until no place is left for what it waits for.
 * So there are no more of them than nested calls of the work that the agents' own places have begun.
 */
export class Reserve {
  readonly #places: number;
  readonly #open: () => Place;
  readonly #consumers = new Set<Place>();
  readonly #closing = new Set<Promise<void>>();
  #lent = 0;
  #isPaused = false;

  /** @param places of one consumer. @param open a consumer more, started, of turns that are waited for */
  constructor(places: number, open: () => Place) {
    this.#places = places;
    this.#open = open;
  }

  async lend<T>(wait: () => Promise<T>): Promise<T> {
    this.#lent++;
    this.#grow();
    try {
      return await wait();
    } finally {
      this.#lent--;
      if (this.#lent === 0) this.#close();
    }
  }

  /** Whether it is open, and takes jobs. */
  isTaking(place: Place): boolean {
    return !this.#isPaused && this.#consumers.has(place);
  }

  async pause(): Promise<void> {
    this.#isPaused = true;
    await Promise.all([...this.#consumers].map((consumer) => consumer.pause()));
  }

  async resume(): Promise<void> {
    this.#isPaused = false;
    await Promise.all([...this.#consumers].map((consumer) => consumer.resume()));
    this.#grow();
  }

  /** Takes no more jobs, and waits for those that run. */
  async stop(): Promise<void> {
    this.#isPaused = true;
    this.#close();
    await Promise.all(this.#closing);
  }

  /** Only when every place is lent: a turn that waits costs little, a consumer costs a connection. */
  #grow(): void {
    const wanted = Math.floor(this.#lent / this.#places);
    while (!this.#isPaused && this.#consumers.size < wanted) this.#consumers.add(this.#open());
  }

  /** Not at the first turn that goes on, but with the last: the next wave finds the places open. */
  #close(): void {
    for (const consumer of this.#consumers) {
      const closed = consumer.stop().finally(() => this.#closing.delete(closed));
      this.#closing.add(closed);
    }
    this.#consumers.clear();
  }
}
