import { list, onOff } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const outgoing = {
  title: 'Outgoing requests',
  settings: {
    AGENT_ALLOW_HTTP: {
      of: ['worker'],
      schema: onOff,
      default: false,
      defaultText: 'off; `switchyard up`: on',
      text: 'Allow `turn.call` to reach agents without TLS.',
    },
    AGENT_ALLOW_HOSTS: {
      of: ['worker'],
      schema: list,
      default: [],
      defaultText: 'none; `switchyard up`: loopback',
      text: 'Private hosts and networks where `turn.call` may reach agents by URL: names, addresses, `10.0.0.0/8`. An agent that a module configures itself (`remoteAgent`) needs no entry.',
    },
  },
} as const satisfies SettingGroup;
