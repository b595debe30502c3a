import { anyText, dollarsOrOff, longMilliseconds, onOff } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

function budget<const Of extends string, const Per extends string>(of: Of, per: Per) {
  const setting = {
    of: ['gateway', 'worker'] as const,
    schema: dollarsOrOff,
    default: 0,
    defaultText: 'off',
    text: `What a ${of.toLowerCase()} may spend on models in a ${per.toLowerCase()} (UTC), in US dollars. Then new messages get 429 until it is over, and running tasks fail at their next request to a model ([usage.md](usage.md#budgets)). With several shards, each has its part.`,
    isShared: true as const,
  };
  return { [`BUDGET_PER_${of}_AND_${per}`]: setting } as {
    readonly [Name in `BUDGET_PER_${Of}_AND_${Per}`]: typeof setting;
  };
}

export const models = {
  title: 'Models',
  settings: {
    MODEL_PRICES: {
      of: ['worker'],
      schema: anyText,
      defaultText: 'list prices of 2025-12-01',
      text: 'A JSON file with the prices of models ([usage.md](usage.md#prices)). Tokens of a model without a price are counted, and cost nothing.',
    },
    MODEL_LIMITS: {
      of: ['worker'],
      schema: anyText,
      text: 'A JSON file with the requests and tokens per minute of models, over all workers together ([pace.md](pace.md)). Without it, workers only slow down together when a provider says so.',
    },
    PUBLISH_USAGE: {
      of: ['worker'],
      schema: onOff,
      default: true,
      text: 'Whether the metadata of a task tells its client what it has used of models ([usage.md](usage.md)).',
    },
    ...budget('TENANT', 'DAY'),
    ...budget('TENANT', 'MONTH'),
    ...budget('PRINCIPAL', 'DAY'),
    ...budget('PRINCIPAL', 'MONTH'),
    USAGE_RETENTION_MS: {
      of: ['worker'],
      schema: longMilliseconds,
      default: 400 * 24 * 3_600_000,
      defaultText: '400 days',
      text: 'How long to keep what was used of models in a day, by tenant, agent and model.',
    },
  },
} as const satisfies SettingGroup;
