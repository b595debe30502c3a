import type { SettingGroup } from '../setting/setting.ts';

export const audit = {
  title: 'Audit trail',
  settings: {},
} as const satisfies SettingGroup;
