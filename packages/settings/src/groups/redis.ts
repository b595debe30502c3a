import { anyText, longMilliseconds, milliseconds, port, text, whole } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const redis = {
  title: 'Redis',
  settings: {
    REDIS_URL: {
      of: ['start', 'gateway', 'worker'],
      schema: text(
        /^rediss?(?:\+(?:sentinel|cluster))?:\/\//,
        'an address such as redis://127.0.0.1:6379; also rediss://, redis+sentinel:// and redis+cluster://',
      ),
      defaults: { gateway: 'redis://127.0.0.1:6379', worker: 'redis://127.0.0.1:6379' },
      defaultText: 'redis://127.0.0.1:6379; `npm start`: a Redis of its own',
      text: 'The Redis, Valkey, Sentinel or Cluster to use.',
      isShared: true,
      isSecret: /@/,
      isCommon: true,
    },
    KEY_PREFIX: {
      of: ['gateway', 'worker'],
      schema: text(/^[\w.:-]{1,64}$/, '1 to 64 letters, digits and . : _ -'),
      default: 'sw',
      text: 'What every key in Redis begins with. Fixed for the life of a deployment.',
      isShared: true,
    },
    SHARDS: {
      of: ['gateway', 'worker'],
      schema: whole(1, 256),
      default: 1,
      text: 'Hash slots that tasks are spread over: 1 on one Redis, 4 to 16 on a Cluster. Fixed for the life of a deployment.',
      isShared: true,
      isCommon: true,
    },
    WAIT_REPLICAS: {
      of: ['gateway', 'worker'],
      schema: whole(0, 16),
      default: 0,
      text: 'Replicas that must have a message before it is acknowledged. With 0, a fail-over may lose the last moment.',
      isShared: true,
    },
    RETENTION_MS: {
      of: ['gateway', 'worker'],
      schema: longMilliseconds,
      default: 7 * 24 * 3_600_000,
      defaultText: '7 days',
      text: 'How long a task is kept after its end.',
      isShared: true,
      isCommon: true,
    },
    REPLAY_MS: {
      of: ['gateway', 'worker'],
      schema: milliseconds,
      default: 10 * 60_000,
      defaultText: '10 minutes',
      text: 'How long the events of a task are kept after its end: a stream can be resumed until then.',
      isShared: true,
    },
    IDEMPOTENCY_MS: {
      of: ['gateway', 'worker'],
      schema: longMilliseconds,
      default: 24 * 3_600_000,
      defaultText: '24 hours',
      text: 'How long a messageId is remembered: a message sent again within it gets the first answer again.',
      isShared: true,
    },
    STORE_TIMEOUT_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 5_000,
      text: 'When Redis has not answered for so long, a request ends with 503.',
    },
    DATA_DIR: {
      of: ['start'],
      schema: anyText,
      default: '.data',
      text: 'Where `npm start` keeps the files of its own Redis.',
      isCommon: true,
    },
    REDIS_PORT: {
      of: ['start'],
      schema: port,
      defaultText: 'a free one',
      text: 'The port of that Redis.',
    },
  },
} as const satisfies SettingGroup;
