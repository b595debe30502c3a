import { limitOrOff, milliseconds, whole } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const limits = {
  title: 'Limits',
  settings: {
    HEADERS_TIMEOUT_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 10_000,
      text: 'A connection whose TLS handshake, or the headers of whose request, take longer is closed.',
    },
    BODY_TIMEOUT_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 30_000,
      text: 'A request that has not arrived as a whole in this time gets 408.',
    },
    MAX_CONNECTIONS: {
      of: ['gateway'],
      schema: whole(1, 1_000_000),
      default: 25_000,
      text: 'Connections that one gateway has open at a time, over all bindings. More are closed at once.',
    },
    MAX_CONNECTIONS_PER_ADDRESS: {
      of: ['gateway'],
      schema: limitOrOff(1_000_000),
      default: 0,
      defaultText: 'off',
      text: 'The same of one address, or one /64 of IPv6. Behind a proxy there is one address: leave it off.',
    },
  },
} as const satisfies SettingGroup;
