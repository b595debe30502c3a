import { createRequire } from 'node:module';
import { trace } from '@opentelemetry/api';
import { Counter, collectDefaultMetrics, Gauge, type OpenMetricsContentType, Registry } from 'prom-client';
import { type CatalogueEntry, catalogue, type LabelsOf, type NamesOf, type Program } from './catalogue.ts';
import { IndexedHistogram } from './indexed-histogram.ts';

/** Sets the value of a gauge during its collection. */
export type SetGauge<Labels> = (value: number, labels: Labels) => void;

export interface Rendered {
  readonly type: string;
  readonly text: string;
}

/** The metrics of one program, from the catalogue. */
export class Metrics<At extends Program> {
  /** Also has exemplars, which the text format does not support. */
  readonly #openMetrics = new Registry<OpenMetricsContentType>();
  readonly #text = new Registry();
  readonly #histograms = new Map<string, IndexedHistogram>();
  readonly #counters = new Map<string, Counter>();

  constructor(program: At) {
    this.#openMetrics.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    collectNodeMetrics(this.#text, `switchyard_${program}_`);
    for (const { name } of this.#text.getMetricsAsArray()) this.#serveInOpenMetrics(name);
    const entries: readonly [string, CatalogueEntry][] = Object.entries(catalogue);
    for (const [name, entry] of entries) if (entry.of === program) this.#register(name, entry);
  }

  observe<Name extends NamesOf<At, 'histogram'>>(name: Name, seconds: number, labels: LabelsOf<Name>): void {
    const span = trace.getActiveSpan()?.spanContext();
    const traceId = span && span.traceFlags % 2 === 1 ? span.traceId : undefined;
    this.#histograms.get(name)?.record(labels, seconds, traceId);
  }

  count<Name extends NamesOf<At, 'counter'>>(name: Name, labels: LabelsOf<Name>, by = 1): void {
    this.#counters.get(name)?.inc(labels, by);
  }

  /** Registers a gauge. @param read sets its values at each collection; values that it does not set are removed */
  collect<Name extends NamesOf<At, 'gauge'>>(
    name: Name,
    read: (set: SetGauge<LabelsOf<Name>>) => void | Promise<void>,
  ): void {
    const { help, labels } = catalogue[name];
    const collect = (): void | Promise<void> => {
      gauge.reset();
      if (labels.length === 0) gauge.remove();
      return read((value, of) => gauge.set(of, value));
    };
    const gauge: Gauge = new Gauge({ name, help, labelNames: labels, registers: [this.#text], collect });
    this.#serveInOpenMetrics(name);
  }

  /** Writes OpenMetrics if accepted, otherwise the text format of Prometheus. @param accept the `Accept` header */
  async render(accept = ''): Promise<Rendered> {
    const registry = accept.includes('application/openmetrics-text') ? this.#openMetrics : this.#text;
    return { type: registry.contentType, text: await registry.metrics() };
  }

  #register(name: string, { type, labels, help, buckets = [] }: CatalogueEntry): void {
    const options = { name, help, labelNames: labels };
    if (type === 'histogram') {
      const histogram = new IndexedHistogram({ ...options, buckets: [...buckets], registers: [this.#openMetrics] });
      this.#text.registerMetric(histogram);
      this.#histograms.set(name, histogram);
    } else if (type === 'counter') {
      this.#counters.set(name, new Counter({ ...options, registers: [this.#text] }));
      this.#serveInOpenMetrics(name);
    }
  }

  /**
   * The OpenMetrics registry removes `_total` from the name of a counter object, which would change the other format
   * too: it gets an object of its own that shares the values.
   */
  #serveInOpenMetrics(name: string): void {
    const metric = this.#text.getSingleMetric(name);
    if (!metric) return;
    const isCounter = metric instanceof Counter;
    this.#openMetrics.registerMetric(
      isCounter ? Object.create(metric, { name: { value: name, writable: true } }) : metric,
    );
  }
}

const require = createRequire(import.meta.url);

/** prom-client's metrics of Node, except for garbage collection: its observer takes 6 % of a busy process. */
function collectNodeMetrics(register: Registry, prefix: string): void {
  for (const name of collectDefaultMetrics.metricsList.filter((each) => each !== 'gc')) {
    const collect: (register: Registry, config: object) => void = require(`prom-client/lib/metrics/${name}`);
    collect(register, { prefix, eventLoopMonitoringPrecision: 10 });
  }
}
