import { anyText, integer, list, milliseconds, onOff } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const push = {
  title: 'Push notifications',
  settings: {
    PUSH: {
      of: ['gateway', 'worker'],
      schema: onOff,
      default: true,
      text: 'Gateway: offer push notifications. Worker: deliver them.',
    },
    PUSH_ALLOW_HTTP: {
      of: ['gateway', 'worker'],
      schema: onOff,
      default: false,
      defaultText: 'off; `switchyard up`: on',
      text: 'Allow webhooks without TLS.',
      isShared: true,
    },
    PUSH_ALLOW_HOSTS: {
      of: ['gateway', 'worker'],
      schema: list,
      default: [],
      defaultText: 'none; `switchyard up`: loopback',
      text: 'Private hosts and networks where webhooks may be: names, addresses, `10.0.0.0/8`.',
      isShared: true,
    },
    PUSH_SECRET: {
      of: ['gateway', 'worker'],
      schema: list,
      default: [],
      text: 'Encrypts webhook URLs and credentials in Redis; create one with `openssl rand -base64 32`. With several, the first encrypts and all decrypt.',
      isShared: true,
      isSecret: true,
      isCommon: true,
    },
    PUSH_SECRET_FILE: {
      of: ['gateway', 'worker'],
      schema: anyText,
      defaultText: 'none; `switchyard up`: `push-secret` in `DATA_DIR`',
      text: 'A file with one more secret, in addition to `PUSH_SECRET`.',
      isShared: true,
    },
    PUSH_CLEAR: {
      of: ['gateway'],
      schema: onOff,
      default: false,
      text: 'With `AUTH` but without `PUSH_SECRET`: store webhook tokens and credentials unencrypted, instead of refusing them.',
    },
    PUSH_VERIFY: {
      of: ['gateway'],
      schema: onOff,
      default: false,
      text: 'Before storing a webhook, check that it wants to be called: it must answer `GET <url>?validationToken=<token>` with the token.',
    },
    PUSH_SIGNING_KEY: {
      of: ['gateway', 'worker'],
      schema: anyText,
      text: 'The private key that signs deliveries, or a file with it: JWK, JWK set or PEM; P-256, RSA or Ed25519. With several, the first signs and the gateway publishes all.',
      isShared: true,
      isSecret: true,
    },
    PUSH_CHUNKS: {
      of: ['worker'],
      schema: onOff,
      default: true,
      text: '`off`: deliver status updates and whole artifacts only, no chunks.',
    },
    PUSH_CONCURRENCY: {
      of: ['worker'],
      schema: integer(1, 10_000),
      default: 64,
      text: 'Webhooks that one worker delivers to at a time.',
    },
    PUSH_TIMEOUT_MS: {
      of: ['worker'],
      schema: integer(1, 30_000),
      default: 15_000,
      text: 'How long one delivery may take, from the DNS lookup to the end of the response.',
    },
    PUSH_BACKOFF_MS: {
      of: ['worker'],
      schema: integer(1, 3_600_000),
      default: 1_000,
      text: 'The delay before the second delivery attempt. It doubles with each further attempt, up to 15 minutes.',
    },
    PUSH_MAX_ATTEMPTS: {
      of: ['worker'],
      schema: integer(1, 1_000_000),
      default: 100,
      text: 'Delivery attempts before the webhook is given up.',
    },
    PUSH_MAX_AGE_MS: {
      of: ['worker'],
      schema: milliseconds,
      default: 24 * 3_600_000,
      defaultText: '24 hours',
      text: 'How long a delivery is retried, from its first attempt, before the webhook is given up.',
    },
    PUSH_RECLAIM_AFTER_MS: {
      of: ['worker'],
      schema: milliseconds,
      default: 5_000,
      text: 'How long a delivery may make no progress before it is queued again.',
      isShared: true,
    },
  },
} as const satisfies SettingGroup;
