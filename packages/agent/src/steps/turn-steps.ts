import { StepEvents } from '../journal/step-events.ts';
import type { TurnJournal } from '../journal/turn-journal.ts';
import { TurnMisuseError } from '../port/turn-errors.ts';
import type { TurnPort } from '../port/turn-port.ts';
import { readResult, writeResult } from './step-result.ts';

/** The steps of one turn. */
export class TurnSteps {
  readonly #port: TurnPort;
  readonly #journal: TurnJournal;
  readonly #taken = new Set<string>();

  constructor(port: TurnPort, journal: TurnJournal) {
    this.#port = port;
    this.#journal = journal;
  }

  async run<T>(name: string, execute: () => T | Promise<T>): Promise<T> {
    this.#take(name);
    try {
      return await this.#run(name, execute);
    } catch (error) {
      // The step has no result: the agent may catch the error and run it again.
      this.#taken.delete(name);
      throw error;
    }
  }

  /** Reserves a name. Results are found by name: two steps with the same name would get each other's. */
  #take(name: string): void {
    if (!/^[^\p{Cc}]{1,200}$/u.test(name))
      throw new TurnMisuseError(`A step needs a name of 1 to 200 printable characters, not ${JSON.stringify(name)}.`);
    if (this.#taken.has(name))
      throw new TurnMisuseError(
        `The turn has a step "${name}" already: give each its own name, in a loop for example \`${name} \${id}\`.`,
      );
    this.#taken.add(name);
  }

  async #run<T>(name: string, execute: () => T | Promise<T>): Promise<T> {
    const key = `step ${name}`;
    const beginning = await this.#journal.runEffect(() => this.#port.steps.begin(key));
    if (beginning.kind === 'done') return readResult(beginning.result);
    const events = new StepEvents(key, beginning.mark, (event) => this.#port.publish(event));
    // A result that cannot be stored is a failure of the step, as an error of its code is.
    const result = await this.#port.steps.run(name, async () => {
      const value = await this.#journal.scope.enterStep(name, events).run(async () => execute());
      return writeResult(name, value);
    });
    await this.#journal.runEffect(async () => {
      await events.end();
      await this.#port.steps.end(key, result);
    });
    // Returns the result as a retried turn gets it, for example a Date as a string.
    return readResult(result);
  }
}
