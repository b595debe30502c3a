import type { DataSchema } from '../data/data-schema.ts';
import type { Answer } from './answer.ts';
import { wholeAnswer } from './ask-model.ts';
import { readValue, type StructuredAnswer } from './delivery.ts';

export interface ModelQuestion<Message> {
  /** The system prompt. Default: none. */
  readonly system?: string | undefined;
  /** A text of the user, or a conversation in the form of the SDK, which may have files (docs/agents.md). */
  readonly prompt: string | readonly Message[];
  /** `turn.signal`: the call ends with the turn. */
  readonly signal: AbortSignal;
}

type ModelForm<Value, Schema extends DataSchema<Value>> = Pick<StructuredAnswer<Value, Schema>, 'name' | 'schema'>;

/** A model for agents that call it themselves. */
export interface CallableModel<Message> {
  /** The answer as a text. */
  text(question: ModelQuestion<Message>): Promise<string>;
  /** The answer as a value of the schema. */
  value<Value>(form: ModelForm<Value, DataSchema<Value>>, question: ModelQuestion<Message>): Promise<Value>;
}

/** A question without a prompt that is a mere text. */
export interface DirectQuestion<Message> extends ModelQuestion<Message> {
  readonly prompt: readonly Message[];
  readonly form?: ModelForm<unknown, DataSchema<unknown>> | undefined;
}

/**
 * A model for agents that call it themselves, however it is asked.
 *
 *     const model = callableModel(askModel, (text) => text);
 *     const title = await model.text({ prompt: `A title for: ${turn.text}`, signal: turn.signal });
 *
 * @param userMessage a text of the user in the form of the SDK
 */
export function callableModel<Message>(
  ask: (question: DirectQuestion<Message>) => AsyncGenerator<string, Answer, undefined>,
  userMessage: (text: string) => Message,
): CallableModel<Message> {
  const whole = async (question: ModelQuestion<Message>, form?: DirectQuestion<Message>['form']): Promise<string> => {
    const { prompt } = question;
    const messages = typeof prompt === 'string' ? [userMessage(prompt)] : prompt;
    return (await wholeAnswer(ask({ ...question, prompt: messages, form }))).text;
  };
  return {
    text: (question) => whole(question),
    value: async (form, question) => readValue(form.schema, await whole(question, form)),
  };
}
