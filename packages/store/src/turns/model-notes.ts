/** A request of a turn to a model, as it is noted for operators. */
export interface NotedModelCall {
  /** ISO time at which it ended. */
  readonly at: string;
  readonly model: string;
  readonly durationMs: number;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cachedTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
  /** Cost in millionths of a US dollar. */
  readonly microUsd?: number | undefined;
  readonly finishReason?: string | undefined;
  readonly error?: string | undefined;
}

/** More calls of one attempt are not noted. */
const MAX_NOTES = 100;

/** The notes of a turn that are not written yet: they go with its next status, so that they cost no command. */
export class ModelNotes {
  #lines: string[] = [];
  #count = 0;

  add(call: NotedModelCall): void {
    if (++this.#count <= MAX_NOTES) this.#lines.push(`model ${JSON.stringify(call)}`);
  }

  /** The notes as scripts get them, each once. */
  take(): string {
    const text = this.#lines.join('\n');
    this.#lines = [];
    return text;
  }
}
