import { modelAsker } from '../../../tests/support/model-asker.ts';
import { anthropicExecutor } from '../src/index.ts';

export const apiKey = 'sk-ant-very-secret';

/** The SDK adds `/v1` itself. */
export const withoutVersion = (url: string): string => url.replace(/\/v1$/, '');

export const { converse, ask, askForApproval, askWithTools } = modelAsker((url, settings) =>
  anthropicExecutor({ model: 'm', baseURL: withoutVersion(url), apiKey, ...settings }),
);
