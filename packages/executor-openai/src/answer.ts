import { type Answer, brokenOff, checkFinish, noAnswer } from '@switchyard/agent/models';
import { RefusedError } from '@switchyard/agent/runtime';
import { ThoughtFilter } from './thoughts.ts';
import { type CallPiece, type OpenAiToolCall, ToolCallBuilder } from './tool-call-builder.ts';

export interface OpenAiAnswer extends Answer {
  readonly calls: readonly OpenAiToolCall[];
  /** The model's thoughts before its tool calls, which some servers (DeepSeek) expect back with the calls. */
  readonly reasoning_content?: string;
}

/** A choice of a completion, or of a chunk of one, as servers send it: any field may be missing or null. */
export interface SentChoice {
  readonly delta?: SentMessage | null;
  readonly message?: SentMessage | null;
  readonly finish_reason?: string | null;
}

interface SentMessage {
  readonly content?: unknown;
  readonly refusal?: string | null;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly (CallPiece | null)[] | null;
}

/** Builds an answer from chunks, or from a whole completion, and checks that it is complete. */
export class AnswerBuilder {
  readonly #calls = new ToolCallBuilder();
  readonly #thoughts = new ThoughtFilter();
  readonly #wholeReasons: readonly string[];
  #text = '';
  #refusal = '';
  #reasoning: string | undefined;
  #reason = '';
  #isEnded = false;

  /** @param wholeReasons finish reasons of a whole answer, besides the known ones */
  constructor(wholeReasons: readonly string[] = []) {
    this.#wholeReasons = wholeReasons;
  }

  /** @returns the text of the chunk */
  add({ delta, message, finish_reason: reason }: SentChoice): string {
    const part = message ?? delta;
    // A completion in one piece is whole, also if its server gives no reason.
    this.#isEnded ||= Boolean(message);
    if (typeof reason === 'string' && reason) this.#reason = reason;
    if (typeof part?.refusal === 'string') this.#refusal += part.refusal;
    if (typeof part?.reasoning_content === 'string') this.#reasoning = (this.#reasoning ?? '') + part.reasoning_content;
    if (Array.isArray(part?.tool_calls)) this.#calls.add(part.tool_calls);
    return this.#addText(this.#thoughts.add(textIn(part?.content)));
  }

  /** The server says that nothing follows. @returns text that was held back */
  end(isSaid: boolean): string {
    this.#isEnded ||= isSaid;
    return this.#addText(this.#thoughts.end());
  }

  /**
   * @throws {AgentError} the model declined, or a limit cut the answer off, so a retry would not help
   * @throws {RetryableError} the answer broke off, or is empty
   */
  build(): OpenAiAnswer {
    if (this.#refusal) throw new RefusedError('model-refused', `The model declined: ${this.#refusal}`);
    this.#checkFinish();
    const calls = this.#calls.build();
    if (!this.#text && calls.length === 0) throw noAnswer();
    const reasoning = calls.length > 0 && this.#reasoning !== undefined && { reasoning_content: this.#reasoning };
    return { text: this.#text, calls, ...reasoning };
  }

  #addText(text: string): string {
    this.#text += text;
    return text;
  }

  #checkFinish(): void {
    if (this.#reason) checkFinish(this.#reason, this.#wholeReasons);
    else if (!this.#isEnded) throw brokenOff('The answer ended without a finish_reason and without [DONE].');
  }
}

/** Mistral's reasoning models send a list of parts: the text, and thoughts, which are left out. */
function textIn(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return content.map((part) => (part?.type === 'text' && typeof part.text === 'string' ? part.text : '')).join('');
}
