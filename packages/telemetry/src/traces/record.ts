import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { trace } from '@opentelemetry/api';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { PresetIdGenerator } from './ids.ts';
import type { QueueTraces, Tracing } from './tracing.ts';

/** A process that is killed loses the spans that ended within this time. */
const EXPORT_EVERY_MS = 1_000;
const EXPORT_TIMEOUT_MS = 5_000;
/** Spans that wait for export. Further ones are dropped, to bound the memory while the collector is unreachable. */
const MAX_QUEUED_SPANS = 8_192;

/** Where spans go. */
export interface Collector {
  /** The endpoint of OTLP over HTTP: `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  /** Share of the traces begun by this process that are recorded, from 0 to 1. */
  readonly share: number;
}

export interface TracedProcess {
  /** `service.name` of its spans. */
  readonly service: string;
  /** Called when spans could not be delivered, and are lost. */
  readonly onError: (error: Error) => void;
}

interface Recording {
  readonly tracing: Tracing;
  stop(): Promise<void>;
}

/** Records spans, and sends them to the collector in batches. */
export function record(
  {
    url,
    share,
    queue,
    proxies,
  }: Collector & { readonly queue: QueueTraces; readonly proxies: Readonly<Record<string, string>> },
  { service, onError }: TracedProcess,
): Recording {
  setGlobalErrorHandler((error) => onError(error instanceof Error ? error : new Error(String(error))));
  const ids = new PresetIdGenerator();
  const httpAgentOptions = { keepAlive: true, proxyEnv: proxies };
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: EXPORT_TIMEOUT_MS, httpAgentOptions });
  const resource = resourceFromAttributes({
    'service.name': service,
    'service.namespace': 'switchyard',
    'service.instance.id': `${hostname()}-${randomUUID().slice(0, 8)}`,
  });
  const spanProcessors = [
    new BatchSpanProcessor({
      exporter,
      scheduledDelayMillis: EXPORT_EVERY_MS,
      exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      maxQueueSize: MAX_QUEUED_SPANS,
    }),
  ];
  // Switchyard starts spans only if they are recorded, because a span that is not recorded would still cost 10 µs.
  const ours = new TracerProvider({ idGenerator: ids, sampler: new AlwaysOnSampler(), resource, spanProcessors });
  // For spans of executors and agents: sampled like their turn, or by the share outside of turns.
  const sampler = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) });
  trace.setGlobalTracerProvider(new TracerProvider({ sampler, resource, spanProcessors }));
  return { tracing: { tracer: ours.getTracer('switchyard'), ids, queue, share }, stop: () => ours.shutdown() };
}
