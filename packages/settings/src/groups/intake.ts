import type { SettingGroup } from '../setting/setting.ts';

export const intake = {
  title: 'How much is taken',
  settings: {},
} as const satisfies SettingGroup;
