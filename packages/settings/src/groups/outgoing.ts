import { list, onOff } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const outgoing = {
  title: 'Requests that go out',
  settings: {
    AGENT_ALLOW_HTTP: {
      of: ['worker'],
      schema: onOff,
      default: false,
      defaultText: 'off; `switchyard up`: on',
      text: 'Allow agents that are called by the URL of their card (`turn.call`) without TLS.',
    },
    AGENT_ALLOW_HOSTS: {
      of: ['worker'],
      schema: list,
      default: [],
      defaultText: 'none; `switchyard up`: loopback',
      text:
        'Hosts and networks inside your own network at which agents may be called by URL: names, addresses, ' +
        '`10.0.0.0/8`. An agent that a module names itself (`remoteAgent`) needs no entry.',
    },
  },
} as const satisfies SettingGroup;
