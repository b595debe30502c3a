import { type StepBeginning, type StepPort, TurnEnded, TurnInterruption } from '@switchyard/agent';
import type { OpenTurn, Steps } from '@switchyard/store';
import { inWordsOfAgents } from './store-errors.ts';

export class StoredSteps implements StepPort {
  readonly #steps: Steps;
  readonly #turn: OpenTurn;

  constructor(steps: Steps, turn: OpenTurn) {
    this.#steps = steps;
    this.#turn = turn;
  }

  async begin(key: string): Promise<StepBeginning> {
    const begun = await inWordsOfAgents(() => this.#steps.begin(this.#turn, key));
    if (begun.verdict === 'canceling') throw new TurnEnded(new TurnInterruption('canceled'));
    return begun.verdict === 'done' ? { kind: 'done', result: begun.result } : { kind: 'run', mark: begun.mark };
  }

  end(key: string, result: string): Promise<void> {
    return inWordsOfAgents(() => this.#steps.end(this.#turn, key, result));
  }
}
