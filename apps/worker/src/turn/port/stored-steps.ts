import { TurnEnded, TurnInterruption } from '@switchyard/agent';
import type { StepBeginning, StepPort, StepRun } from '@switchyard/agent/runtime';
import type { OpenTurn, Steps } from '@switchyard/store';
import { recordRemembered, traceStep } from '@switchyard/telemetry';
import type { TurnFailures } from '../failures/turn-failures.ts';
import { mapStoreErrors } from './store-errors.ts';

export class StoredSteps implements StepPort {
  readonly #steps: Steps;
  readonly #turn: OpenTurn;
  readonly #confirm: () => Promise<void>;
  readonly #failures: TurnFailures;

  constructor(
    steps: Steps,
    turn: OpenTurn,
    { confirm, failures }: { readonly confirm: () => Promise<void>; readonly failures: TurnFailures },
  ) {
    this.#steps = steps;
    this.#turn = turn;
    this.#confirm = confirm;
    this.#failures = failures;
  }

  async begin(key: string): Promise<StepBeginning> {
    const begun = await mapStoreErrors(() => this.#steps.begin(this.#turn, key));
    if (begun.verdict === 'canceling') throw new TurnEnded(new TurnInterruption('canceled'));
    if (begun.verdict === 'done') {
      const [, kind, name] = /^(step|call) (.*)$/.exec(key) ?? [];
      if (name !== undefined) recordRemembered(kind === 'step' ? 'step' : 'call', name);
      return { kind: 'done', result: begun.result };
    }
    // The reply may have arrived long after it was sent.
    await this.#confirm();
    return { kind: 'run', mark: begun.mark, failed: begun.failed };
  }

  run<T>(step: StepRun, execute: () => Promise<T>): Promise<T> {
    return traceStep(step, execute);
  }

  async noteFailure(name: string, error: unknown, retryAfterMs: number | undefined): Promise<void> {
    // So that the next attempt's mark has all events of this one.
    await this.#turn.flush();
    await this.#failures.stepFailed(name, error, retryAfterMs);
  }

  postpone(key: string, failed: number): Promise<void> {
    return mapStoreErrors(() => this.#steps.postpone(this.#turn, key, failed));
  }

  end(key: string, result: string): Promise<void> {
    return mapStoreErrors(() => this.#steps.end(this.#turn, key, result));
  }
}
