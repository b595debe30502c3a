import { anyText, integer, listOf, onOff } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const access = {
  title: 'Callers and agent cards',
  settings: {
    AUTH: {
      of: ['gateway'],
      schema: listOf('none', 'api-key', 'jwt', 'mtls'),
      default: ['none'],
      defaultText: '`none`',
      text: 'How callers authenticate: API keys, JSON Web Tokens, client certificates, or several of these.',
      isCommon: true,
    },
    API_KEYS: {
      of: ['gateway'],
      schema: anyText,
      text: 'With `AUTH=api-key`: keys as `key:subject[:tenant[:scope+scope]]`, separated by commas or newlines. `switchyard keys` creates keys in Redis instead.',
      isSecret: true,
      isCommon: true,
    },
    API_KEYS_FILE: {
      of: ['gateway'],
      schema: anyText,
      text: 'A file with keys in the same format.',
    },
    ALLOW_ANONYMOUS: {
      of: ['gateway'],
      schema: onOff,
      default: false,
      text: 'Allow `AUTH=none` on other addresses than loopback: every caller can see and cancel every task.',
    },
    CARD_SIGNING_KEY: {
      of: ['gateway'],
      schema: anyText,
      text: 'The private key that signs agent cards, or a file with it: JWK, JWK set or PEM. Needs `PUBLIC_URL`.',
      isSecret: true,
    },
    CARD_SIGNING_KEYS: {
      of: ['gateway'],
      schema: anyText,
      text: 'More signing keys: during a key rotation, cards are signed with the old and the new key.',
      isSecret: true,
    },
    CARD_MAX_AGE_SECONDS: {
      of: ['gateway'],
      schema: integer(0, 31_536_000),
      default: 60,
      text: 'How long clients may cache agent cards and signing keys.',
    },
  },
} as const satisfies SettingGroup;
