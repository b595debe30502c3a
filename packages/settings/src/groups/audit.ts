import { integer, longMilliseconds, oneOf } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const audit = {
  title: 'Audit trail',
  settings: {
    AUDIT: {
      of: ['gateway'],
      schema: oneOf('changes', 'all', 'off'),
      default: 'changes',
      text: 'What to record in the audit trail: `changes` (with sign-ins and refusals), `all` (reads as well), or nothing.',
    },
    AUDIT_RETENTION_MS: {
      of: ['gateway'],
      schema: longMilliseconds,
      default: 2_592_000_000,
      defaultText: '30 days',
      text: 'How long to keep audit events.',
    },
    AUDIT_MAX: {
      of: ['gateway'],
      schema: integer(1_000),
      default: 1_000_000,
      text: 'The number of audit events to keep, the latest; each takes about 300 bytes in Redis.',
    },
  },
} as const satisfies SettingGroup;
