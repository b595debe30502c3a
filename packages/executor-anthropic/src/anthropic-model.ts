import type { MessageParam } from '@anthropic-ai/sdk/resources/messages';
import { type CallableModel, callableModel } from '@switchyard/agent/models';
import { checkSettings } from '@switchyard/agent/runtime';
import { formatOf } from './anthropic-executor.ts';
import { Model, type ModelSettings, modelChecks } from './model.ts';

/**
 * A model for agents that do more than return its answer. Call it in a step, `turn.step('plan', () => model.value(…))`:
 * then a retried turn does not call it again. Both methods throw the errors of an executor: `RetryableError` for
 * temporary errors, `AgentError` for others, and the reason of the signal when it is aborted.
 *
 *     const model = anthropicModel({ model: 'claude-sonnet-4-5', apiKey: 'sk-ant-…' });
 *     const title = await turn.step('title', () => model.text({ prompt: `A title for: ${turn.text}`, signal: turn.signal }));
 *
 * @throws {TypeError} a setting is wrong
 */
export function anthropicModel(settings: ModelSettings): CallableModel<MessageParam> {
  checkSettings('anthropicModel', settings, modelChecks);
  const model = new Model(settings);
  return callableModel<MessageParam>(
    ({ system, prompt, signal, form }) =>
      model.ask({ system, messages: prompt, signal, format: form && formatOf(form.schema) }),
    (content) => ({ role: 'user', content }),
  );
}
