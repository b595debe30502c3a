import type { ServerResponse } from 'node:http';
import { Interruption } from '../interruption.ts';

/** The calls that wait for something: streams, blocking sends, long polls. Their clients can leave, and shutdown ends them all. */
export class WaitingCalls {
  readonly #open = new Set<AbortController>();
  #end: Interruption | undefined;

  /** A signal that aborts with the connection, or with the gateway. */
  watch(res: ServerResponse): AbortSignal {
    const controller = new AbortController();
    this.#open.add(controller);
    res.once('close', () => {
      this.#open.delete(controller);
      controller.abort(new Interruption('client-gone'));
    });
    if (res.closed) controller.abort(new Interruption('client-gone'));
    if (this.#end) controller.abort(this.#end);
    return controller.signal;
  }

  /** Wakes all of them; each answers what it has. Those that come later do not wait. */
  end(): void {
    this.#end = new Interruption('shutdown');
    for (const controller of this.#open) controller.abort(this.#end);
  }
}
