import { httpUrl, oneOf, share } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const traces = {
  title: 'Traces',
  settings: {
    TRACES: {
      of: ['gateway', 'worker'],
      schema: oneOf('off', 'otlp'),
      default: 'off',
      text: 'Records spans, and sends them to a collector of OpenTelemetry: [traces.md](traces.md).',
    },
    TRACES_URL: {
      of: ['gateway', 'worker'],
      schema: httpUrl,
      default: 'http://127.0.0.1:4318/v1/traces',
      text: 'Where the collector takes OTLP over HTTP.',
    },
    TRACES_SAMPLE: {
      of: ['gateway', 'worker'],
      schema: share,
      default: 1,
      text: 'How many of the traces that begin here are recorded, from 0 to 1. A caller’s trace is recorded if the caller records it.',
    },
    TRACE_QUEUE: {
      of: ['worker'],
      schema: oneOf('link', 'parent'),
      default: 'link',
      text: '`link`: each turn is a trace of its own, linked to the message that it answers. `parent`: while somebody waits for the answer, or reads it as a stream, it is a part of the caller’s.',
    },
  },
} as const satisfies SettingGroup;
