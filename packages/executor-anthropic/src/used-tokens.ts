import type { RawMessageStreamEvent, Usage } from '@anthropic-ai/sdk/resources/messages';
import type { SaidOfAnswer } from '@switchyard/agent/models';

/** What a stream says that it has used, so far: the input at its beginning, the output with its end. */
export class UsedTokens {
  #usage: Partial<Usage> = {};

  add(event: RawMessageStreamEvent): SaidOfAnswer {
    if (event.type === 'message_start') {
      const { id, model, usage } = event.message;
      return { id, model, ...this.#counted(usage) };
    }
    if (event.type !== 'message_delta') return {};
    return { finishReason: event.delta.stop_reason ?? undefined, ...this.#counted(event.usage) };
  }

  /** The API counts tokens that it read from its cache, or wrote to it, apart from the other input. */
  #counted(usage: object | undefined): SaidOfAnswer {
    const known = Object.entries(usage ?? {}).filter(([, value]) => value !== null);
    this.#usage = { ...this.#usage, ...Object.fromEntries(known) };
    const { input_tokens: others, output_tokens: output, output_tokens_details: details } = this.#usage;
    const { cache_read_input_tokens: read, cache_creation_input_tokens: created } = this.#usage;
    return {
      inputTokens: others === undefined ? undefined : others + (read ?? 0) + (created ?? 0),
      outputTokens: output,
      cachedTokens: read ?? undefined,
      reasoningTokens: details?.thinking_tokens,
    };
  }
}
