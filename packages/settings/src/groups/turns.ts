import { integer, longMilliseconds, milliseconds } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const turns = {
  title: 'Turns',
  settings: {
    MAX_ATTEMPTS: {
      of: ['worker'],
      schema: integer(1, 100),
      default: 3,
      text: 'How many times a turn is started before its task fails.',
      isShared: true,
    },
    SWEEP_AFTER_MS: {
      of: ['gateway', 'worker'],
      schema: milliseconds,
      default: 15_000,
      text: 'How long a task with work to do may show no progress before the sweeper checks it, and adds its job again if it is lost.',
      isShared: true,
    },
    INTERRUPTED_RETENTION_MS: {
      of: ['gateway', 'worker'],
      schema: longMilliseconds,
      default: 30 * 24 * 3_600_000,
      defaultText: '30 days',
      text: 'How long a task may wait for input or authorization before it is canceled.',
      isShared: true,
    },
    MAX_TASK_BYTES: {
      of: ['gateway', 'worker'],
      schema: integer(65_536, 268_435_456),
      default: 67_108_864,
      defaultText: '64 MiB',
      text: 'The largest history and artifacts of one task, in bytes. Writes that exceed it are refused; the task can still end.',
      isShared: true,
    },
    MAX_HISTORY_BYTES: {
      of: ['gateway', 'worker'],
      schema: integer(16_384, 67_108_864),
      default: 8_388_608,
      defaultText: '8 MiB',
      text: 'The largest history of one task, in bytes. Every turn loads the whole history.',
      isShared: true,
    },
    SWEEP_MS: {
      of: ['worker'],
      schema: milliseconds,
      default: 30_000,
      text: 'How often a worker looks for turns, calls and webhooks that lost their job, on all shards. Besides, one worker a second checks each shard for those that are due.',
    },
    MAX_BLOCKED_MS: {
      of: ['worker'],
      schema: integer(0, 3_600_000),
      default: 10_000,
      text: "How long an agent's code may block its worker, for example in an endless loop. Then the worker's process ends with code 70, its log and the attempt say which task and line it was, and whatever runs the worker must start it again. 0: the worker never ends for this. A worker with an open inspector (`--inspect`) does not either.",
    },
    DRAIN_MS: {
      of: ['gateway', 'worker'],
      schema: integer(0, 3_600_000),
      defaults: { gateway: 3_000, worker: 2_000 },
      text: 'How long a stopping process waits for its requests or turns. Turns that are still running then go back to the queue.',
    },
  },
} as const satisfies SettingGroup;
