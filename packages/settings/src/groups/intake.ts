import { limitOrOff, millisecondsOrOff } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

const count = limitOrOff(1_000_000_000);

export const intake = {
  title: 'How much is taken',
  settings: {
    MAX_OPEN_TASKS: {
      of: ['gateway'],
      schema: count,
      default: 100_000,
      text: 'Tasks of a principal at an agent that have not ended. Beyond, a message that would make one gets 429.',
    },
    MAX_KEPT_TASKS: {
      of: ['gateway'],
      schema: count,
      default: 1_000_000,
      text: 'Tasks of a principal at an agent that are kept, ended ones too. Beyond, 429.',
    },
    MAX_OPEN_TASKS_PER_TENANT: {
      of: ['gateway'],
      schema: count,
      default: 500_000,
      text: 'Tasks of a tenant that have not ended, at all agents. Beyond, 429.',
    },
    MAX_BYTES_PER_TENANT: {
      of: ['gateway', 'worker'],
      schema: limitOrOff(2 ** 50),
      default: 0,
      defaultText: 'off',
      text: 'Bytes of the messages that a tenant has sent within `RETENTION_MS`, and of the results of its tasks’ steps. Beyond, its messages get 429.',
    },
    MAX_WAITING: {
      of: ['gateway'],
      schema: count,
      default: 100_000,
      text: 'Messages that may wait for an agent, in each shard. Beyond, one that would make a task gets 429; one to a task that is there is taken, as many as `MAX_OPEN_TASKS` allows for.',
    },
    MAX_QUEUE_WAIT_MS: {
      of: ['gateway'],
      schema: millisecondsOrOff,
      default: 'off',
      text: 'How long a message may wait for its turn: beyond as many as the agent’s workers lately began in this time, one that would make a task gets 429 with Retry-After. `off`: messages wait as long as it takes, also for an agent that is away.',
    },
  },
} as const satisfies SettingGroup;
