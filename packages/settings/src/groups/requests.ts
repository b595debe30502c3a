import { integer, milliseconds, millisecondsOrOff, oneOf, onOff, text } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const requests = {
  title: 'Requests',
  settings: {
    DEFAULT_AGENT: {
      of: ['start', 'gateway'],
      schema: text(/^[a-z0-9-]+$/, 'the id of an agent: a-z, 0-9 and -'),
      defaultText: 'the first by name; `switchyard up`: the first that is given; `npm start`: `pizza`',
      text: 'The agent that is served at the root URL.',
      isCommon: true,
    },
    SEND_MODE: {
      of: ['gateway'],
      schema: oneOf('blocking', 'immediate'),
      default: 'blocking',
      text: '`blocking`: SendMessage waits for the outcome unless the caller asks for an immediate answer; `immediate`: the other way round.',
      isCommon: true,
    },
    BLOCKING_WAIT_MS: {
      of: ['gateway'],
      schema: millisecondsOrOff,
      default: 50_000,
      text: 'How long a blocking SendMessage waits at most; `off`: no limit. Most proxies give up after 60 s.',
    },
    MESSAGE_HOLD_MS: {
      of: ['gateway'],
      schema: millisecondsOrOff,
      default: 2_000,
      text: 'How long a stream waits for the agent’s first event before it sends the task. An agent that answers with a plain message has no task to send. `off`: no limit.',
    },
    ACKNOWLEDGE: {
      of: ['gateway'],
      schema: onOff,
      default: true,
      text: '`off`: a blocking SendMessage keeps waiting after the agent has acknowledged the message.',
    },
    MAX_POLL_WAIT_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 50_000,
      text: 'The longest wait that a client can ask for with `Prefer: wait`, or with `currentGeneration` ([a2a-1-1.md](a2a-1-1.md)).',
    },
    CANCEL_WAIT_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 2_000,
      text: 'How long CancelTask waits for a running turn to stop before it returns the task as it is.',
    },
    HEARTBEAT_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 15_000,
      text: 'How long a stream may be idle before the gateway sends a comment, so that proxies keep it open.',
    },
    CLIENT_STALL_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 60_000,
      text: 'How long a client may go without reading its response or stream before it is disconnected. A stream can be resumed.',
    },
    MAX_BODY_BYTES: {
      of: ['gateway', 'worker'],
      schema: integer(1, 1024 ** 3),
      default: 5 * 1024 * 1024,
      defaultText: '5 MiB',
      text: 'The largest request body, in bytes; also the most that a turn, or an answer to a client, gets as `raw` of what was moved ([files.md](files.md#large-raw-parts)).',
      isShared: true,
    },
    MAX_BODY_VALUES: {
      of: ['gateway'],
      schema: integer(1000, 10_000_000),
      default: 50_000,
      text: 'The largest number of values in a request: entries of lists, members of objects, lists and objects. A gateway reads them all at once, and does nothing else meanwhile: up to 4 ms for 1,000 of them.',
    },
    MAX_ANSWER_BYTES: {
      of: ['gateway'],
      schema: integer(1024 ** 2),
      default: 256 * 1024 ** 2,
      defaultText: '256 MiB',
      text: 'Memory for large tasks (more than 64 KiB) that one gateway is sending; more get 503. A task that several clients read is counted once, but over gRPC it counts 4 times per client, and over A2A 0.3 6 times.',
    },
    MAX_STREAMS: {
      of: ['gateway'],
      schema: integer(1, 1_000_000),
      default: 20_000,
      text: 'Open streams per gateway.',
    },
  },
} as const satisfies SettingGroup;
