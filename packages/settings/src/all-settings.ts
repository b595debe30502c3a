import { access } from './groups/access.ts';
import { archive } from './groups/archive.ts';
import { audit } from './groups/audit.ts';
import { examples } from './groups/examples.ts';
import { files } from './groups/files.ts';
import { grpc } from './groups/grpc.ts';
import { identity } from './groups/identity.ts';
import { intake } from './groups/intake.ts';
import { limits } from './groups/limits.ts';
import { models } from './groups/models.ts';
import { network } from './groups/network.ts';
import { operators } from './groups/operators.ts';
import { outgoing } from './groups/outgoing.ts';
import { push } from './groups/push.ts';
import { redis } from './groups/redis.ts';
import { requests } from './groups/requests.ts';
import { traces } from './groups/traces.ts';
import { turns } from './groups/turns.ts';
import type { Setting, SettingGroup } from './setting/setting.ts';

/** In the order of the tables in docs and help. */
export const groups: readonly SettingGroup[] = [
  network,
  redis,
  requests,
  turns,
  models,
  access,
  identity,
  limits,
  intake,
  outgoing,
  files,
  archive,
  push,
  grpc,
  operators,
  traces,
  audit,
  examples,
];

/** All settings by name, typed so that each value has the type of its setting. */
export const allSettings = {
  ...network.settings,
  ...redis.settings,
  ...requests.settings,
  ...turns.settings,
  ...models.settings,
  ...access.settings,
  ...identity.settings,
  ...limits.settings,
  ...intake.settings,
  ...outgoing.settings,
  ...files.settings,
  ...archive.settings,
  ...push.settings,
  ...grpc.settings,
  ...operators.settings,
  ...traces.settings,
  ...audit.settings,
  ...examples.settings,
} as const satisfies Readonly<Record<string, Setting>>;
