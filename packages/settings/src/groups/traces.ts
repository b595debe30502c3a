import { httpUrl, oneOf, share } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const traces = {
  title: 'Traces',
  settings: {
    TRACES: {
      of: ['gateway', 'worker'],
      schema: oneOf('off', 'otlp'),
      default: 'off',
      text: '`otlp`: record spans and send them to an OpenTelemetry collector: [traces.md](traces.md).',
    },
    TRACES_URL: {
      of: ['gateway', 'worker'],
      schema: httpUrl,
      default: 'http://127.0.0.1:4318/v1/traces',
      text: 'The collector’s endpoint for OTLP over HTTP.',
    },
    TRACES_SAMPLE: {
      of: ['gateway', 'worker'],
      schema: share,
      default: 1,
      text: 'The share of new traces to record. A trace that a caller began is recorded if the caller records it.',
    },
    TRACE_QUEUE: {
      of: ['worker'],
      schema: oneOf('link', 'parent'),
      default: 'link',
      text: '`link`: each turn is a trace of its own, linked to the trace of its message. `parent`: the turn is part of the caller’s trace while the caller waits for it or streams it.',
    },
  },
} as const satisfies SettingGroup;
