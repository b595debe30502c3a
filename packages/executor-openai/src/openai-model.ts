import { type CallableModel, callableModel, type ModelQuestion, type StructuredAnswer } from '@switchyard/agent/models';
import { checkSettings } from '@switchyard/agent/runtime';
import { zodResponseFormat } from 'openai/helpers/zod';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { z } from 'zod';
import { Model, type ModelSettings, modelChecks } from './model.ts';
import { systemMessages } from './openai-executor.ts';
import { strictly } from './strict-schema.ts';

/** A model for agents that call it themselves. */
export interface OpenAiModel extends Pick<CallableModel<ChatCompletionMessageParam>, 'text'> {
  /** The answer as a value of the schema. */
  value<Value>(
    form: Pick<StructuredAnswer<Value, z.ZodType<Value>>, 'name' | 'schema'>,
    question: ModelQuestion<ChatCompletionMessageParam>,
  ): Promise<Value>;
}

/**
 * A model for agents that do more than return its answer. Call it in a step, `turn.step('plan', () => model.value(…))`:
 * then a retried turn does not call it again. Both methods throw the errors of an executor: `RetryableError` for
 * temporary errors, `AgentError` for others, and the reason of the signal when it is aborted.
 *
 *     const model = openAiModel({ model: 'gpt-5', apiKey: 'sk-…' });
 *     const title = await turn.step('title', () => model.text({ prompt: `A title for: ${turn.text}`, signal: turn.signal }));
 *
 * @throws {TypeError} a setting is wrong
 */
export function openAiModel(settings: ModelSettings): OpenAiModel {
  checkSettings('openAiModel', settings, modelChecks);
  const model = new Model(settings);
  return callableModel<ChatCompletionMessageParam>(
    ({ system, prompt, signal, form }) =>
      model.whole({
        messages: [...systemMessages(system), ...prompt],
        signal,
        // `OpenAiModel.value` takes schemas of zod only.
        format: form && strictly('schema', () => zodResponseFormat(form.schema as z.ZodType, form.name)),
      }),
    (content) => ({ role: 'user', content }),
  );
}
