/** A request to a model, for operators: what it cost, not what was said. */
export interface ModelCall {
  readonly model: string;
  readonly durationMs: number;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  /** Why the model ended its answer, such as `stop` or `length`. */
  readonly finishReason?: string | undefined;
  /** Why the request failed. */
  readonly error?: unknown;
}
