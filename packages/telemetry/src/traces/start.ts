import { context, propagation } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { Collector, TracedProcess } from './record.ts';
import { type QueueTraces, setTracing } from './tracing.ts';

export interface TraceSettings {
  /** Unset: nothing is recorded. */
  readonly collector: Collector | undefined;
  /** Used by workers. */
  readonly queue?: QueueTraces;
  /** `http_proxy`, `https_proxy` and `no_proxy`, for the way to the collector. */
  readonly proxies?: Readonly<Record<string, string>>;
}

/** The traces of a process. */
export interface Traces {
  /** Stops the recording, and delivers the recorded spans. Never rejects. */
  stop(): Promise<void>;
}

/** Propagates the traces of callers. With a collector it also loads the libraries for recording, and records spans. */
export async function startTraces(
  { collector, queue = 'link', proxies = {} }: TraceSettings,
  process: TracedProcess,
): Promise<Traces> {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  if (!collector) return { stop: () => Promise.resolve() };
  const { record } = await import('./record.ts');
  const { tracing, stop } = record({ ...collector, queue, proxies }, process);
  setTracing(tracing);
  return {
    async stop() {
      setTracing(undefined);
      await stop().catch(process.onError);
    },
  };
}
