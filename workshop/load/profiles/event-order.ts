import type { Failure } from '../client/outcome.ts';

/**
 * Ids of the events of one stream. A gateway of ours numbers the events of a task 1-…, 2-…, 3-…; a stream may begin
 * anywhere, and from there each number comes once. Other servers need not number theirs: then there is nothing to be
 * checked.
 */
export class EventOrder {
  checked = 0;
  unchecked = 0;
  holes = 0;
  doubles = 0;
  #last: number | undefined;

  /** @returns what is wrong with it */
  next(id: string | undefined): Failure | undefined {
    const number = id !== undefined && /^\d{1,15}(?:-\w{1,20})?$/.test(id) ? Number.parseInt(id, 10) : undefined;
    if (number === undefined) {
      this.unchecked++;
      return undefined;
    }
    const last = this.#last;
    this.#last = Math.max(number, last ?? 0);
    if (last === undefined || number === last + 1) {
      this.checked++;
      return undefined;
    }
    return number <= last ? this.#double(number) : this.#hole(last, number);
  }

  #double(number: number): Failure {
    this.doubles++;
    return { kind: 'event twice on a stream', example: `event ${number} came again` };
  }

  #hole(last: number, number: number): Failure {
    this.holes++;
    return { kind: 'hole in the events of a stream', example: `event ${number} came after ${last}` };
  }
}
