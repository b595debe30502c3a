import type { Answer } from './answer.ts';
import type { DialogueMessage } from './dialogue.ts';
import type { ToolResult } from './tools.ts';

/** A model with its tools and the form of its answers, in the terms of its SDK. */
export interface ChatModel<Message, Given extends Answer> {
  /** Its provider runs tools of its own, so that an answer may pause. */
  readonly hasOwnTools?: boolean;
  /** The conversation in the form of the SDK, without the system prompt. */
  readonly begin: (dialogue: readonly DialogueMessage[]) => Message[];
  /** Asks once. Yields pieces of text; returns the whole answer. */
  readonly ask: (question: ChatQuestion<Message>) => AsyncGenerator<string, Given, undefined>;
  /** An answer as the model gets it back, before the results of its calls. */
  readonly answerMessages: (answer: Given) => Message[];
  /** What the model gets of its calls. */
  readonly resultMessages: (results: readonly ToolResult[]) => Message[];
}

export interface ChatQuestion<Message> {
  readonly messages: readonly Message[];
  readonly signal: AbortSignal;
  /** The model must answer without a tool. */
  readonly mustAnswer: boolean;
}
