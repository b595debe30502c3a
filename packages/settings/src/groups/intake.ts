import { limitOrOff, milliseconds, millisecondsOrOff } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

const count = limitOrOff(1_000_000_000);

export const intake = {
  title: 'Quotas',
  settings: {
    MAX_OPEN_TASKS: {
      of: ['gateway'],
      schema: count,
      default: 100_000,
      text: 'Unfinished tasks per principal and agent. A message that would create another one gets 429.',
    },
    MAX_KEPT_TASKS: {
      of: ['gateway'],
      schema: count,
      default: 1_000_000,
      text: 'All stored tasks per principal and agent, finished ones included. A message that would create another one replaces the oldest finished one (`MAKE_ROOM_AT`), or gets 429.',
    },
    MAX_OPEN_TASKS_PER_TENANT: {
      of: ['gateway'],
      schema: count,
      default: 500_000,
      text: 'Unfinished tasks per tenant, over all agents. A message that would create another one gets 429.',
    },
    MAX_SCHEDULED: {
      of: ['gateway'],
      schema: count,
      default: 100,
      text: 'Scheduled tasks per principal and agent that have not started. A message that would create another one gets 429.',
    },
    MIN_CRON_INTERVAL_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 60_000,
      text: 'Shortest time between two tasks of one schedule. A message with a schedule that repeats faster is refused.',
    },
    MAX_BYTES_PER_TENANT: {
      of: ['gateway', 'worker'],
      schema: limitOrOff(2 ** 50),
      default: 0,
      defaultText: 'off',
      text: 'Bytes that a tenant’s messages and step results may take within `RETENTION_MS`. After that, its messages get 429.',
    },
    MAX_WAITING: {
      of: ['gateway'],
      schema: count,
      default: 100_000,
      text: 'Messages in an agent’s queue, per shard. After that, a message for a new task gets 429; a message for an existing task is still accepted.',
    },
    MAX_QUEUE_WAIT_MS: {
      of: ['gateway'],
      schema: millisecondsOrOff,
      default: 'off',
      text: 'The longest expected wait of a new task, estimated from the rate at which the agent’s workers lately started turns. A message that would wait longer gets 429 with Retry-After. `off`: no limit, even while the agent has no workers.',
    },
  },
} as const satisfies SettingGroup;
