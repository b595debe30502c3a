import { AgentError, RetryableError } from '@switchyard/agent';
import type OpenAI from 'openai';

/** A tool call of the model. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, unless the model made an error. */
  readonly arguments: string;
  /** Of the server, which expects it back with the call: Gemini puts the signature of its thoughts there. */
  readonly extra_content?: unknown;
}

/** An answer of the model: text, and tool calls. One of the two may be empty. */
export interface Answer {
  readonly text: string;
  readonly calls: readonly ToolCall[];
}

/** Azure sends chunks without a delta: results of its content filter. */
type Chunk = Partial<OpenAI.ChatCompletionChunk.Choice>;
type CallChunk = Partial<OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall> & Pick<ToolCall, 'extra_content'>;
type Choice = OpenAI.ChatCompletion.Choice;

interface CallDraft {
  readonly index: number | undefined;
  id: string;
  name: string;
  arguments: string;
  extra_content?: unknown;
}

/** Builds an answer from chunks, and checks that it is complete. */
export class AnswerBuilder {
  readonly #calls: CallDraft[] = [];
  #text = '';
  #refusal = '';
  #reason: Choice['finish_reason'] | undefined;

  /** @returns the text of the chunk */
  add({ delta, finish_reason }: Chunk): string {
    const text = textIn(delta?.content);
    this.#text += text;
    this.#refusal += delta?.refusal ?? '';
    this.#reason = finish_reason ?? this.#reason;
    for (const part of delta?.tool_calls ?? []) this.#addCall(part);
    return text;
  }

  addWhole({ message, finish_reason }: Choice): void {
    this.#text = textIn(message.content);
    this.#refusal = message.refusal ?? '';
    this.#reason = finish_reason;
    for (const call of message.tool_calls ?? []) {
      if (call.type === 'function') this.#addCall({ ...call, index: this.#calls.length });
    }
  }

  /**
   * A chunk belongs to the last call with its index, unless it has another id: some releases of Ollama give all calls
   * the index 0, and Gemini gives none.
   */
  #addCall({ index, id = '', function: named, extra_content }: CallChunk): void {
    let call = this.#calls.findLast((each) => each.index === index);
    if (!call || (id && call.id && id !== call.id)) {
      call = { index, id: '', name: '', arguments: '' };
      this.#calls.push(call);
    }
    call.id ||= id;
    call.name += named?.name ?? '';
    call.arguments += named?.arguments ?? '';
    if (extra_content !== undefined) call.extra_content = extra_content;
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
    const calls = this.#calls.map(({ index: _, ...call }, at) => ({ ...call, id: call.id || `call-${at + 1}` }));
    if (!this.#text && calls.length === 0) throw new RetryableError('The model gave no answer.');
    return { text: this.#text, calls };
  }
}

/** Mistral's reasoning models send a list of parts: the text, and thoughts, which are left out. */
function textIn(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return content.map((part) => (part?.type === 'text' && typeof part.text === 'string' ? part.text : '')).join('');
}
