import type { ContentBlockParam, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { type Answer, brokenOff, checkFinish, noAnswer } from '@switchyard/agent/models';
import { RefusedError } from '@switchyard/agent/runtime';
import { Block } from './block.ts';

export interface AnthropicAnswer extends Answer {
  /** All that the model wrote, thoughts with their signatures too: it expects it back with the results of its calls. */
  readonly content?: readonly ContentBlockParam[];
}

/** Builds an answer from the events of a stream, and checks that it is complete. */
export class AnswerBuilder {
  readonly #blocks = new Map<number, Block>();
  #reason = '';
  #explanation: string | undefined;

  /** @returns the text in the event */
  add(event: RawMessageStreamEvent): string {
    if (event.type === 'content_block_start') {
      const block = new Block(event.content_block);
      this.#blocks.set(event.index, block);
      return block.text;
    }
    if (event.type === 'content_block_delta') return this.#blocks.get(event.index)?.add(event.delta) ?? '';
    if (event.type === 'message_delta') {
      this.#reason = event.delta.stop_reason ?? this.#reason;
      this.#explanation = event.delta.stop_details?.explanation ?? this.#explanation;
    }
    return '';
  }

  /**
   * @throws {AgentError} the model declined, or a limit cut the answer off, so a retry would not help
   * @throws {RetryableError} the answer broke off, or is empty
   */
  build(): AnthropicAnswer {
    if (!this.#reason) throw brokenOff('The answer has no stop_reason.');
    if (this.#reason === 'refusal' && this.#explanation)
      throw new RefusedError('model-refused', `The model declined: ${this.#explanation}`);
    const isPaused = this.#reason === 'pause_turn';
    if (!isPaused) checkFinish(this.#reason);
    const blocks = [...this.#blocks.entries()].sort(([a], [b]) => a - b).map(([, block]) => block);
    const text = blocks.map((block) => block.text).join('');
    const calls = blocks.flatMap((block) => block.call ?? []);
    if (!isPaused && !text && calls.length === 0) throw noAnswer();
    if (!isPaused && calls.length === 0) return { text, calls };
    return { text, calls, content: blocks.flatMap((block) => block.sentBack ?? []), ...(isPaused && { isPaused }) };
  }
}
