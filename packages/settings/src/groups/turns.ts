import { milliseconds, whole } from '../kinds.ts';
import type { SettingGroup } from '../setting.ts';

export const turns = {
  title: 'Turns',
  settings: {
    MAX_ATTEMPTS: {
      of: ['worker'],
      schema: whole(1, 100),
      default: 3,
      text: 'How often a turn is begun before its task fails.',
      isShared: true,
    },
    LEASE_MS: {
      of: ['gateway', 'worker'],
      schema: milliseconds,
      default: 15_000,
      text: 'When a turn has shown no sign of life for so long, another worker gets it.',
      isShared: true,
    },
    SWEEP_MS: {
      of: ['worker'],
      schema: milliseconds,
      default: 2_000,
      text: 'How often a worker looks for turns, calls and webhooks that lost their job.',
    },
    DRAIN_MS: {
      of: ['gateway', 'worker'],
      schema: whole(0, 3_600_000),
      defaults: { gateway: 3_000, worker: 2_000 },
      text: 'How long a process that stops waits for its requests or turns. What has not ended then goes back to the queue.',
    },
  },
} as const satisfies SettingGroup;
