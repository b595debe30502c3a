import { milliseconds, whole } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const grpc = {
  title: 'Connections of gRPC',
  settings: {
    GRPC_MAX_STREAMS: {
      of: ['gateway'],
      schema: whole(1, 2 ** 31 - 1),
      default: 1_000,
      text: 'Calls that one connection may have open. Clients queue what is beyond.',
    },
    GRPC_MAX_QUEUED_BYTES: {
      of: ['gateway'],
      schema: whole(1024 ** 2),
      default: 128 * 1024 ** 2,
      defaultText: '128 MiB',
      text: 'Bytes that one connection may have waiting to be sent. Beyond, new calls are refused; if they go on, the connection is closed.',
    },
    GRPC_MESSAGE_TIMEOUT_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 30_000,
      text: 'When the message of a call has not arrived after so long, the call is refused.',
    },
    GRPC_IDLE_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 15 * 60_000,
      defaultText: '15 min',
      text: 'How long a connection stays open without a call.',
    },
    GRPC_MAX_AGE_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 3_600_000,
      defaultText: '1 h',
      text: 'After so long a connection takes no new calls: clients open another one, perhaps at another replica.',
    },
    GRPC_MAX_AGE_GRACE_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 3_600_000,
      defaultText: '1 h',
      text: 'How long the calls of such a connection may go on before they are cut. A stream can be subscribed to again.',
    },
  },
} as const satisfies SettingGroup;
