import { anyText, httpUrl } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

/** Listed for help and docs only: the examples read them from the environment themselves. */
export const examples = {
  title: 'Examples',
  settings: {
    OPENAI_API_KEY: {
      of: ['pizza'],
      schema: anyText,
      defaultText: 'a scripted model',
      text: 'The API key for the model that takes pizza orders.',
      isSecret: true,
      isCommon: true,
    },
    OPENAI_BASE_URL: {
      of: ['pizza'],
      schema: httpUrl,
      defaultText: 'OpenAI’s own',
      text: 'The base URL of that model’s API.',
    },
    OPENAI_MODEL: {
      of: ['pizza'],
      schema: anyText,
      defaultText: 'gpt-4o-mini',
      text: 'The name of the model.',
    },
    API_KEY: {
      of: ['chat'],
      schema: anyText,
      text: 'The API key that `npm run chat` sends to the gateway.',
      isSecret: true,
    },
    SWITCHYARD_URL: {
      of: ['switchyard', 'chat'],
      schema: httpUrl,
      default: 'http://127.0.0.1:4000',
      text: 'The agent that commands call, unless `--agent-card` names one.',
    },
  },
} as const satisfies SettingGroup;
