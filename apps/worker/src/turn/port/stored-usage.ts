import { type CountedUsage, isCharged, type ModelCall } from '@switchyard/agent/runtime';
import type { OpenTurn } from '@switchyard/store';
import type { AttemptEnd } from '@switchyard/telemetry';
import type { PriceTable } from '../../prices/price-table.ts';
import type { Emit } from '../../telemetry/events.ts';
import type { TurnFailures } from '../failures/turn-failures.ts';

interface UsageDependencies {
  readonly prices: PriceTable;
  readonly emit: Emit;
  readonly failures: TurnFailures;
}

/** Counts what a turn uses of models, with what it costs. */
export class StoredUsage {
  readonly #turn: OpenTurn;
  readonly #dependencies: UsageDependencies;

  #used: NonNullable<AttemptEnd['used']> | undefined;

  constructor(turn: OpenTurn, dependencies: UsageDependencies) {
    this.#turn = turn;
    this.#dependencies = dependencies;
  }

  /** By this attempt, without amounts that have a key. Unset: no model was used. */
  get used(): AttemptEnd['used'] {
    return this.#used;
  }

  /** Never throws. If it cannot be stored, the next step or the outcome tries again. */
  ofModelCall(call: ModelCall): void {
    const { failures } = this.#dependencies;
    const usage = { ...failures.modelCall(call), microUsd: call.microUsd };
    const microUsd = this.#costOf(usage);
    this.#turn.noteModelCall(failures.modelCall(call, microUsd));
    if (isCharged(call)) this.#record({ ...usage, microUsd }).catch(() => undefined);
  }

  /** @throws an error of the store: the next step or the outcome tries again */
  record(usage: CountedUsage): Promise<void> {
    return this.#record({ ...usage, microUsd: this.#costOf(usage) });
  }

  async #record({ model, key, calls = 1, microUsd, ...amounts }: CountedUsage): Promise<void> {
    const { inputTokens = 0, outputTokens = 0, cachedTokens = 0, reasoningTokens = 0 } = amounts;
    const { unpricedCalls = microUsd === undefined ? calls : 0 } = amounts;
    const { agent } = this.#turn.start;
    // Amounts with a key may have been counted before.
    if (key === undefined) {
      this.#dependencies.emit({ kind: 'model-used', agent, model, inputTokens, outputTokens, microUsd });
      const before = this.#used ?? { inputTokens: 0, outputTokens: 0, microUsd: 0 };
      this.#used = {
        inputTokens: before.inputTokens + inputTokens,
        outputTokens: before.outputTokens + outputTokens,
        microUsd: before.microUsd + (microUsd ?? 0),
      };
    }
    const tokens = { inputTokens, outputTokens, cachedTokens, reasoningTokens };
    await this.#turn.recordUsage({ model, key, ...tokens, calls, unpricedCalls, microUsd: microUsd ?? 0 });
  }

  #costOf({ model, microUsd, ...tokens }: CountedUsage): number | undefined {
    return microUsd ?? this.#dependencies.prices.costOf(model, tokens, new Date());
  }
}
