/** What was used of a model. Whole numbers; what is unset is not known. */
export interface Usage {
  readonly model: string;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  /** Those of the input tokens that the provider had cached. */
  readonly cachedTokens?: number | undefined;
  /** Those of the output tokens that were thoughts. */
  readonly reasoningTokens?: number | undefined;
  /** What it cost, in millionths of a US dollar. Default: by the price table of the worker, if it has the model. */
  readonly microUsd?: number | undefined;
}

/** A request to a model, for operators: what it cost, not what was said. */
export interface ModelCall extends Usage {
  readonly durationMs: number;
  /** Why the model ended its answer, such as `stop` or `length`. */
  readonly finishReason?: string | undefined;
  /** Why the request failed. */
  readonly error?: unknown;
  /** The model began to answer, so that its provider charges for it, also if it failed. Default: whether it did not. */
  readonly wasAnswered?: boolean | undefined;
}

/** What a turn has used, as its worker gets it. */
export interface CountedUsage extends Usage {
  /** Requests to models. Default: 1. */
  readonly calls?: number | undefined;
  /** Those of them whose price is not known: `microUsd` is without them. Default: all, if `microUsd` is unset. */
  readonly unpricedCalls?: number | undefined;
  /**
   * Names what the amounts are of, such as a batch job or the task of another service. Then they are all that it has
   * used so far, and only what is new is counted, also if the turn is retried.
   */
  readonly key?: string | undefined;
}

/**
 * Whether the provider charges for a request.
 *
 *     const isPaid = isCharged({ model: 'small', durationMs: 840, error: new Error('cut off'), inputTokens: 12 });
 */
export function isCharged({ error, wasAnswered = error === undefined, inputTokens, outputTokens }: ModelCall): boolean {
  return wasAnswered || (inputTokens ?? outputTokens) !== undefined;
}

export function usageOf(call: ModelCall): Usage {
  const { model, inputTokens, outputTokens, cachedTokens, reasoningTokens, microUsd } = call;
  return { model, inputTokens, outputTokens, cachedTokens, reasoningTokens, microUsd };
}
