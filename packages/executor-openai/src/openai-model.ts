import { readValue, type StructuredAnswer, wholeAnswer } from '@switchyard/agent/models';
import { zodResponseFormat } from 'openai/helpers/zod';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { z } from 'zod';
import { Model, type ModelSettings } from './model.ts';

export interface ModelQuestion {
  /** The system prompt. Default: none. */
  readonly system?: string;
  /** A text of the user, or a conversation. */
  readonly prompt: string | readonly ChatCompletionMessageParam[];
  /** `turn.signal`: the call ends with the turn. */
  readonly signal: AbortSignal;
}

type ModelForm<Value> = Pick<StructuredAnswer<Value, z.ZodType<Value>>, 'name' | 'schema'>;

/** A model for agents that call it themselves. */
export interface OpenAiModel {
  /** The answer as a text. */
  text(question: ModelQuestion): Promise<string>;
  /** The answer as a value of the schema. */
  value<Value>(form: ModelForm<Value>, question: ModelQuestion): Promise<Value>;
}

/**
 * A model for agents that do more than return its answer. Call it in a step, `turn.step('plan', () => model.value(…))`:
 * then a retried turn does not call it again. Both methods throw the errors of an executor: `RetryableError` for
 * temporary errors, `AgentError` for others, and the reason of the signal when it is aborted.
 *
 *     const model = openAiModel({ model: 'gpt-5', apiKey: 'sk-…' });
 *     const title = await turn.step('title', () => model.text({ prompt: `A title for: ${turn.text}`, signal: turn.signal }));
 */
export function openAiModel(settings: ModelSettings): OpenAiModel {
  const model = new Model(settings);
  return {
    async text({ signal, ...question }) {
      return (await wholeAnswer(model.whole({ messages: messagesOf(question), signal }))).text;
    },
    async value({ name, schema }, { signal, ...question }) {
      const format = zodResponseFormat(schema, name);
      const answer = await wholeAnswer(model.whole({ messages: messagesOf(question), signal, format }));
      return readValue(schema, answer.text);
    },
  };
}

function messagesOf({ system, prompt }: Pick<ModelQuestion, 'system' | 'prompt'>): ChatCompletionMessageParam[] {
  const asked: ChatCompletionMessageParam[] =
    typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : [...prompt];
  return system === undefined ? asked : [{ role: 'system', content: system }, ...asked];
}
