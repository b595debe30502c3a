import type { TurnEvent } from '@switchyard/protocol';
import type { StepBeginning, StepPort, StepRun } from '../port/step-port.ts';

/** Steps whose results outlive the attempt, but not the test. */
export class MemorySteps implements StepPort {
  readonly #results: Map<string, string>;
  readonly #attempt: number;

  /** @param attempt at the turn */
  constructor(results: Map<string, string>, attempt: number) {
    this.#results = results;
    this.#attempt = attempt;
  }

  async begin(key: string): Promise<StepBeginning> {
    const result = this.#results.get(`result ${key}`);
    if (result !== undefined) return { kind: 'done', result };
    return {
      kind: 'run',
      mark: this.#results.get(`mark ${key}`) ?? '',
      failed: Number(this.#results.get(`failed ${key} ${this.#attempt}`) ?? 0),
    };
  }

  run<T>(_step: StepRun, execute: () => Promise<T>): Promise<T> {
    return execute();
  }

  async noteFailure(_name: string, _error: unknown, _retryAfterMs: number | undefined): Promise<void> {
    // A test has no operators.
  }

  async postpone(key: string, failed: number): Promise<void> {
    this.#results.set(`failed ${key} ${this.#attempt}`, String(failed));
  }

  async end(key: string, result: string): Promise<void> {
    this.#results.set(`result ${key}`, result);
  }

  /** Call it when the event is published. */
  stamp({ step }: TurnEvent): void {
    if (step) this.#results.set(`mark ${step.key}`, step.mark);
  }
}
