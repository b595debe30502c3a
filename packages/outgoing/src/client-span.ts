import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

const tracer = trace.getTracer('@switchyard/outgoing');

type Attributes = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** The span of a request to a service, with the headers that continue the trace there. */
export interface ClientSpan {
  readonly attributes: Attributes;
  readonly headers: Readonly<Record<string, string>>;
  /** @param attributes those of the end */
  end(attributes: Attributes, error?: unknown): void;
}

/** For requests that an SDK sends; `guardedClient` continues traces by itself. */
export function openClientSpan(name: string, attributes: Attributes): ClientSpan {
  const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes: copied(attributes) });
  const headers: Record<string, string> = {};
  propagation.inject(trace.setSpan(context.active(), span), headers);
  return {
    attributes,
    headers,
    end(last, error) {
      if (error !== undefined) {
        span.setAttribute('error.type', error instanceof Error ? error.name : 'Error');
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.setAttributes(copied(last)).end();
    },
  };
}

/** With lists that OpenTelemetry may keep. */
function copied(attributes: Attributes): Record<string, string | number | string[] | undefined> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, typeof value === 'object' ? [...value] : value]),
  );
}
