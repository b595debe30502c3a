import { type CallableModel, callableModel } from '@switchyard/agent/models';
import { checkSettings } from '@switchyard/agent/runtime';
import type { ModelMessage } from 'ai';
import { formatOf } from './ai-executor.ts';
import { Model, type ModelSettings, modelChecks } from './model.ts';

/**
 * A model for agents that do more than return its answer. Call it in a step, `turn.step('plan', () => model.value(…))`:
 * then a retried turn does not call it again. Both methods throw the errors of an executor: `RetryableError` for
 * temporary errors, `AgentError` for others, and the reason of the signal when it is aborted.
 *
 *     const model = aiModel({ model: 'openai/gpt-5-mini' });
 *     const title = await turn.step('title', () => model.text({ prompt: `A title for: ${turn.text}`, signal: turn.signal }));
 *
 * @throws {TypeError} a setting is wrong
 */
export function aiModel(settings: ModelSettings): CallableModel<ModelMessage> {
  checkSettings('aiModel', settings, modelChecks);
  const model = new Model(settings);
  return callableModel<ModelMessage>(
    ({ system, prompt, signal, form }) =>
      model.ask({ system, messages: prompt, signal, format: form && formatOf(form) }),
    (content) => ({ role: 'user', content }),
  );
}
