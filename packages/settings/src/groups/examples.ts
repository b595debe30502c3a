import { anyText, httpUrl } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

/** They read these themselves, as an author's own agents do: the list is for help and the docs. */
export const examples = {
  title: 'Examples',
  settings: {
    OPENAI_API_KEY: {
      of: ['pizza'],
      schema: anyText,
      defaultText: 'a scripted model',
      text: 'The key of the model that takes orders of pizza.',
      isSecret: true,
      isCommon: true,
    },
    OPENAI_BASE_URL: {
      of: ['pizza'],
      schema: httpUrl,
      defaultText: 'OpenAI’s own',
      text: 'The address of that model’s API.',
    },
    OPENAI_MODEL: {
      of: ['pizza'],
      schema: anyText,
      defaultText: 'gpt-4o-mini',
      text: 'Its name.',
    },
    API_KEY: {
      of: ['chat'],
      schema: anyText,
      text: 'The key that `npm run chat` shows to a gateway that wants one.',
      isSecret: true,
    },
    SWITCHYARD_URL: {
      of: ['chat'],
      schema: httpUrl,
      default: 'http://127.0.0.1:4000',
      text: 'The agent that the command `switchyard` talks to, unless `--agent-card` names one.',
    },
  },
} as const satisfies SettingGroup;
