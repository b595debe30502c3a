import { anyText, list, milliseconds, onOff, whole } from '../setting/kinds.ts';
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
      text: 'Hosts and networks inside your own network that webhooks may be at: names, addresses, `10.0.0.0/8`.',
      isShared: true,
    },
    PUSH_SECRET: {
      of: ['gateway', 'worker'],
      schema: list,
      default: [],
      text: 'Encrypts webhooks and their credentials in Redis: `openssl rand -base64 32`. The first encrypts, all of them decrypt.',
      isShared: true,
      isSecret: true,
      isCommon: true,
    },
    PUSH_SECRET_FILE: {
      of: ['gateway', 'worker'],
      schema: anyText,
      defaultText: 'none; `switchyard up`: `push-secret` in `DATA_DIR`',
      text: 'A file with one more such secret.',
      isShared: true,
    },
    PUSH_CLEAR: {
      of: ['gateway'],
      schema: onOff,
      default: false,
      text:
        'With `AUTH` and without a `PUSH_SECRET`: store tokens and credentials of webhooks in clear, ' +
        'rather than refuse them.',
    },
    PUSH_VERIFY: {
      of: ['gateway'],
      schema: onOff,
      default: false,
      text:
        'Ask a webhook whether it wants to be called before it is stored: `GET <url>?validationToken=<token>`, which ' +
        'it answers with the token.',
    },
    PUSH_SIGNING_KEY: {
      of: ['gateway', 'worker'],
      schema: anyText,
      text:
        'The private key that signs deliveries, or a file with it: JWK, JWK set or PEM; P-256, RSA or Ed25519. ' +
        'The first signs, the gateway publishes all of them.',
      isShared: true,
      isSecret: true,
    },
    PUSH_CHUNKS: {
      of: ['worker'],
      schema: onOff,
      default: true,
      text: '`off`: status updates and whole artifacts only, no chunks.',
    },
    PUSH_CONCURRENCY: {
      of: ['worker'],
      schema: whole(1, 10_000),
      default: 64,
      text: 'Webhooks that one worker serves at a time.',
    },
    PUSH_TIMEOUT_MS: {
      of: ['worker'],
      schema: whole(1, 30_000),
      default: 15_000,
      text: 'How long one delivery may take, from looking up the host to the end of the answer.',
    },
    PUSH_BACKOFF_MS: {
      of: ['worker'],
      schema: whole(1, 3_600_000),
      default: 1_000,
      text: 'The pause before the second attempt at a delivery; each further pause is twice as long, up to 15 minutes.',
    },
    PUSH_MAX_ATTEMPTS: {
      of: ['worker'],
      schema: whole(1, 1_000_000),
      default: 100,
      text: 'Attempts at one delivery before the webhook is given up.',
    },
    PUSH_MAX_AGE_MS: {
      of: ['worker'],
      schema: milliseconds,
      default: 24 * 3_600_000,
      defaultText: '24 hours',
      text: 'Time since the first attempt at a delivery after which the webhook is given up.',
    },
    PUSH_RECLAIM_AFTER_MS: {
      of: ['worker'],
      schema: milliseconds,
      default: 5_000,
      text: 'When a webhook has made no progress for so long, its delivery is queued again.',
      isShared: true,
    },
  },
} as const satisfies SettingGroup;
