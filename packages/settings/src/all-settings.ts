import { access } from './groups/access.ts';
import { examples } from './groups/examples.ts';
import { grpc } from './groups/grpc.ts';
import { network } from './groups/network.ts';
import { operators } from './groups/operators.ts';
import { push } from './groups/push.ts';
import { redis } from './groups/redis.ts';
import { requests } from './groups/requests.ts';
import { turns } from './groups/turns.ts';
import type { Setting, SettingGroup } from './setting/setting.ts';

/** In the order of the tables that people read. */
export const groups: readonly SettingGroup[] = [
  network,
  redis,
  requests,
  turns,
  access,
  push,
  grpc,
  operators,
  examples,
];

/** By name; typed, so that each value has its setting's type. */
export const allSettings = {
  ...network.settings,
  ...redis.settings,
  ...requests.settings,
  ...turns.settings,
  ...access.settings,
  ...push.settings,
  ...grpc.settings,
  ...operators.settings,
  ...examples.settings,
} as const satisfies Readonly<Record<string, Setting>>;
