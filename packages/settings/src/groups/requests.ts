import { milliseconds, millisecondsOrOff, oneOf, onOff, text, whole } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const requests = {
  title: 'Requests',
  settings: {
    DEFAULT_AGENT: {
      of: ['start', 'gateway'],
      schema: text(/^[a-z0-9-]+$/, 'the id of an agent: a-z, 0-9 and -'),
      defaultText: 'the first by name; `switchyard up`: the first that was named; `npm start`: `pizza`',
      text: 'The agent that is served at the root.',
      isCommon: true,
    },
    SEND_MODE: {
      of: ['gateway'],
      schema: oneOf('blocking', 'immediate'),
      default: 'blocking',
      text: '`immediate`: SendMessage answers at once, unless the caller asks it to wait.',
      isCommon: true,
    },
    BLOCKING_WAIT_MS: {
      of: ['gateway'],
      schema: millisecondsOrOff,
      default: 50_000,
      text: 'The longest wait of a blocking SendMessage. Most proxies give up after 60 s. `off`: no limit.',
    },
    MESSAGE_HOLD_MS: {
      of: ['gateway'],
      schema: millisecondsOrOff,
      default: 2_000,
      text: 'How long a stream waits for the agent’s first event before it begins with the task: an agent that answers with a plain message makes none. `off`: no limit.',
    },
    ACKNOWLEDGE: {
      of: ['gateway'],
      schema: onOff,
      default: true,
      text: '`off`: a blocking SendMessage waits on when the agent acknowledges the message.',
    },
    MAX_POLL_WAIT_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 50_000,
      text: 'The longest wait that `Prefer: wait` can ask for, or `currentGeneration` ([a2a-1-1.md](a2a-1-1.md)).',
    },
    CANCEL_WAIT_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 2_000,
      text: 'How long CancelTask waits for a running turn to stop before it answers the task as it is.',
    },
    HEARTBEAT_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 15_000,
      text: 'How long a stream may be silent before a comment is sent, so that no proxy closes it.',
    },
    CLIENT_STALL_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 60_000,
      text: 'When a client has taken nothing of an answer or a stream for so long, it is disconnected. A stream can be resumed.',
    },
    MAX_BODY_BYTES: {
      of: ['gateway'],
      schema: whole(1, 1024 ** 3),
      default: 5 * 1024 * 1024,
      defaultText: '5 MiB',
      text: 'The largest body of a request, in bytes.',
    },
    MAX_ANSWER_BYTES: {
      of: ['gateway'],
      schema: whole(1024 ** 2),
      default: 256 * 1024 ** 2,
      defaultText: '256 MiB',
      text: 'Bytes of tasks beyond 64 KiB that one gateway may hold for clients which are being sent them. A version that many read counts once; over gRPC and A2A 0.3 it is translated for each, and counts 4 and 6 times. Beyond, they get 503.',
    },
    MAX_STREAMS: {
      of: ['gateway'],
      schema: whole(1, 1_000_000),
      default: 20_000,
      text: 'Streams that one gateway serves at a time.',
    },
  },
} as const satisfies SettingGroup;
