import { type Answer, brokenOff, checkFinish, noAnswer, type ToolCall } from '@switchyard/agent/models';
import type { AssistantModelMessage, TextStreamPart, ToolSet } from 'ai';

type FinishStep = Extract<TextStreamPart<ToolSet>, { type: 'finish-step' }>;

export interface AiAnswer extends Answer {
  /** The model's messages, with its thoughts: it expects them back with the results of its calls. */
  readonly messages?: readonly AssistantModelMessage[];
}

/** Builds an answer from the parts of a stream, and checks that it is complete. */
export class AnswerBuilder {
  readonly #calls: ToolCall[] = [];
  readonly #wholeReasons: readonly string[];
  #text = '';
  #reason = '';
  #messages: readonly AssistantModelMessage[] = [];

  /** @param wholeReasons finish reasons of a whole answer, besides the known ones */
  constructor(wholeReasons: readonly string[] = []) {
    this.#wholeReasons = wholeReasons;
  }

  /** @returns the text in the part */
  add(part: TextStreamPart<ToolSet>): string {
    if (part.type === 'finish-step') this.#reason = finishReasonOf(part);
    // Tools that the provider runs have their results within the answer.
    if (part.type === 'tool-call' && !part.providerExecuted) this.#calls.push(callOf(part));
    if (part.type !== 'text-delta') return '';
    this.#text += part.text;
    return part.text;
  }

  end(messages: readonly AssistantModelMessage[]): this {
    this.#messages = messages;
    return this;
  }

  /**
   * @throws {AgentError} a limit cut the answer off, or a filter withheld it, so a retry would not help
   * @throws {RetryableError} the answer broke off, or is empty
   */
  build(): AiAnswer {
    if (!this.#reason) throw brokenOff('The answer has no finish reason.');
    checkFinish(this.#reason, this.#wholeReasons);
    const [text, calls] = [this.#text, this.#calls];
    if (!text && calls.length === 0) throw noAnswer();
    return { text, calls, ...(calls.length > 0 && { messages: this.#messages }) };
  }
}

/** The provider's own reason, where the SDK knows none. */
export function finishReasonOf({ finishReason, rawFinishReason }: FinishStep): string {
  return finishReason === 'other' ? (rawFinishReason ?? finishReason) : finishReason;
}

/** The input is a text if it is not JSON, or does not match the tool's schema. */
function callOf({ toolCallId, toolName, input }: { toolCallId: string; toolName: string; input: unknown }): ToolCall {
  return { id: toolCallId, name: toolName, arguments: typeof input === 'string' ? input : JSON.stringify(input ?? {}) };
}
