import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { modelAsker } from '../../../tests/support/model-asker.ts';
import { aiExecutor } from '../src/index.ts';

export const apiKey = 'sk-very-secret';

/** A model of a provider of the SDK, at this address. */
export function modelAt(baseURL: string) {
  const settings = { name: 'shop', baseURL, apiKey, includeUsage: true, supportsStructuredOutputs: true };
  return createOpenAICompatible(settings)('m');
}

export const { converse, ask, askForApproval, askWithTools } = modelAsker((url, settings) =>
  aiExecutor({ model: modelAt(url), apiKey, ...settings }),
);
