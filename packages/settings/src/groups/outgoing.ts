import type { SettingGroup } from '../setting/setting.ts';

export const outgoing = {
  title: 'Requests that go out',
  settings: {},
} as const satisfies SettingGroup;
