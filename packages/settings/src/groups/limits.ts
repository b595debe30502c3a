import type { SettingGroup } from '../setting/setting.ts';

export const limits = {
  title: 'Limits',
  settings: {},
} as const satisfies SettingGroup;
