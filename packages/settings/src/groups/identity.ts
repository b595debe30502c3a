import type { SettingGroup } from '../setting/setting.ts';

export const identity = {
  title: 'Who callers are',
  settings: {},
} as const satisfies SettingGroup;
