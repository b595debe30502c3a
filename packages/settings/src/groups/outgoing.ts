import { anyText, list, onOff } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const outgoing = {
  title: 'Outgoing requests',
  settings: {
    HTTPS_PROXY: {
      of: ['gateway', 'worker'],
      schema: anyText,
      defaultText: '`HTTP_PROXY`',
      text: 'The proxy for requests to `https:` URLs, such as `http://user:password@proxy.example.com:3128`, also as `https_proxy`: [deploy.md](deploy.md#behind-a-proxy).',
      isSecret: /@/,
    },
    HTTP_PROXY: {
      of: ['gateway', 'worker'],
      schema: anyText,
      defaultText: 'none',
      text: 'The proxy for requests to `http:` URLs, also as `http_proxy`.',
      isSecret: /@/,
    },
    NO_PROXY: {
      of: ['gateway', 'worker'],
      schema: anyText,
      defaultText: 'none',
      text: 'Hosts that are called directly, separated by commas: `internal.example.com` (and its subdomains), `*.example.com`, `10.0.0.0/8`, `agents:8080`, `*`. Loopback addresses always are. Also as `no_proxy`.',
    },
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
