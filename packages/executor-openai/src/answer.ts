import { AgentError, RetryableError } from '@switchyard/agent';
import type OpenAI from 'openai';

/** A tool call of the model. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, unless the model made an error. */
  readonly arguments: string;
}

/** An answer of the model: text, and tool calls. One of the two may be empty. */
export interface Answer {
  readonly text: string;
  readonly calls: readonly ToolCall[];
}

type Chunk = OpenAI.ChatCompletionChunk.Choice;
type Choice = OpenAI.ChatCompletion.Choice;

/** Builds an answer from chunks, and checks that it is complete. */
export class AnswerBuilder {
  readonly #calls: { id: string; name: string; arguments: string }[] = [];
  #text = '';
  #refusal = '';
  #reason: Choice['finish_reason'] | undefined;

  add({ delta, finish_reason }: Chunk): void {
    this.#text += delta.content ?? '';
    this.#refusal += delta.refusal ?? '';
    this.#reason = finish_reason ?? this.#reason;
    for (const part of delta.tool_calls ?? []) {
      this.#calls[part.index] ??= { id: '', name: '', arguments: '' };
      const call = this.#calls[part.index];
      if (!call) continue;
      call.id ||= part.id ?? '';
      call.name += part.function?.name ?? '';
      call.arguments += part.function?.arguments ?? '';
    }
  }

  addWhole({ message, finish_reason }: Choice): void {
    this.#text = message.content ?? '';
    this.#refusal = message.refusal ?? '';
    this.#reason = finish_reason;
    for (const call of message.tool_calls ?? []) {
      if (call.type === 'function') this.#calls.push({ id: call.id, ...call.function });
    }
  }

  /**
   * @throws {AgentError} the model declined, or a limit cut the answer off, so a retry would not help
   * @throws {RetryableError} the answer broke off, or is empty
   */
  build(): Answer {
    if (this.#refusal) throw new AgentError(`The model declined: ${this.#refusal}`);
    if (this.#reason === 'length') throw new AgentError('The answer of the model was cut off at its length limit.');
    if (this.#reason === 'content_filter')
      throw new AgentError('The answer of the model was withheld by its content filter.');
    if (!this.#reason) throw new RetryableError('The answer of the model broke off.');
    // Some servers give no ids.
    const calls = this.#calls.filter(Boolean).map((call, index) => ({ ...call, id: call.id || `call-${index + 1}` }));
    if (!this.#text && calls.length === 0) throw new RetryableError('The model gave no answer.');
    return { text: this.#text, calls };
  }
}
