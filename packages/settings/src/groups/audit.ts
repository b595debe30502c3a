import { longMilliseconds, oneOf, whole } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const audit = {
  title: 'Audit trail',
  settings: {
    AUDIT: {
      of: ['gateway'],
      schema: oneOf('changes', 'all', 'off'),
      default: 'changes',
      text: 'What the audit trail has: `changes`, sign-ins and refusals; `all`, reads too; or nothing.',
    },
    AUDIT_RETENTION_MS: {
      of: ['gateway'],
      schema: longMilliseconds,
      default: 2_592_000_000,
      defaultText: '30 days',
      text: 'How long the events of the audit trail are kept.',
    },
    AUDIT_MAX: {
      of: ['gateway'],
      schema: whole(1_000),
      default: 1_000_000,
      text: 'How many are kept at most, the latest; each takes some 300 bytes of Redis.',
    },
  },
} as const satisfies SettingGroup;
