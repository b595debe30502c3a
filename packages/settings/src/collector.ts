import type { ValuesOf } from './read-settings.ts';

/** Where spans go, and which share of the traces that begin here; undefined: nowhere. */
export function collector({ TRACES, TRACES_URL: url, TRACES_SAMPLE: share }: TraceValues) {
  return TRACES === 'otlp' ? { url, share } : undefined;
}

type TraceValues = Pick<ValuesOf<'gateway'>, 'TRACES' | 'TRACES_URL' | 'TRACES_SAMPLE'>;
