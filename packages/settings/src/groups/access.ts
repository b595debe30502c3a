import { anyText, listOf, onOff, whole } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const access = {
  title: 'Callers and agent cards',
  settings: {
    AUTH: {
      of: ['gateway'],
      schema: listOf('none', 'api-key', 'jwt', 'mtls'),
      default: ['none'],
      defaultText: '`none`',
      text: 'How callers prove who they are: API keys, JSON Web Tokens, certificates, in any mix.',
      isCommon: true,
    },
    API_KEYS: {
      of: ['gateway'],
      schema: anyText,
      text: 'With `AUTH=api-key`: keys as `key:subject[:tenant[:scope+scope]]`, apart by commas or lines; `switchyard keys` makes others.',
      isSecret: true,
      isCommon: true,
    },
    API_KEYS_FILE: {
      of: ['gateway'],
      schema: anyText,
      text: 'A file with such keys.',
    },
    ALLOW_ANONYMOUS: {
      of: ['gateway'],
      schema: onOff,
      default: false,
      text: 'With `AUTH=none`, listen beyond loopback all the same: every caller sees and cancels every task.',
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
      text: 'Further such keys: while one key replaces another, both sign.',
      isSecret: true,
    },
    CARD_MAX_AGE_SECONDS: {
      of: ['gateway'],
      schema: whole(0, 31_536_000),
      default: 60,
      text: 'How long clients may keep an agent card, and the keys, without asking again.',
    },
  },
} as const satisfies SettingGroup;
