import { anyText, longMilliseconds, onOff } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const models = {
  title: 'Usage of models',
  settings: {
    MODEL_PRICES: {
      of: ['worker'],
      schema: anyText,
      defaultText: 'list prices of 2025-12-01',
      text: 'A JSON file with the prices of models ([usage.md](usage.md#prices)). Tokens of a model without a price are counted, and cost nothing.',
    },
    PUBLISH_USAGE: {
      of: ['worker'],
      schema: onOff,
      default: true,
      text: 'Whether the metadata of a task tells its client what it has used of models, by the extension [usage](extensions/usage.md).',
    },
    USAGE_RETENTION_MS: {
      of: ['worker'],
      schema: longMilliseconds,
      default: 400 * 24 * 3_600_000,
      defaultText: '400 days',
      text: 'How long to keep what was used of models in a day, by tenant, agent and model.',
    },
  },
} as const satisfies SettingGroup;
