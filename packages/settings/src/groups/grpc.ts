import { integer, milliseconds } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const grpc = {
  title: 'gRPC connections',
  settings: {
    GRPC_MAX_STREAMS: {
      of: ['gateway'],
      schema: integer(1, 2 ** 31 - 1),
      default: 1_000,
      text: 'Open calls per connection. Clients queue further ones.',
    },
    GRPC_MAX_QUEUED_BYTES: {
      of: ['gateway'],
      schema: integer(1024 ** 2),
      default: 128 * 1024 ** 2,
      defaultText: '128 MiB',
      text: 'Unsent bytes per connection. After that, new calls are refused; if the client continues, the connection is closed.',
    },
    GRPC_MESSAGE_TIMEOUT_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 30_000,
      text: 'How long a client may take to send the message of a call before the call is refused.',
    },
    GRPC_IDLE_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 15 * 60_000,
      defaultText: '15 min',
      text: 'How long a connection without calls stays open.',
    },
    GRPC_MAX_AGE_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 3_600_000,
      defaultText: '1 h',
      text: 'The age after which a connection accepts no new calls: clients reconnect, perhaps to another replica.',
    },
    GRPC_MAX_AGE_GRACE_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 3_600_000,
      defaultText: '1 h',
      text: 'How long calls on such a connection may continue before they end with UNAVAILABLE. A client can subscribe to its stream again.',
    },
  },
} as const satisfies SettingGroup;
