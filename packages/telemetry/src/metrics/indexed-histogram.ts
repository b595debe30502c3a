import { Histogram, type HistogramConfiguration } from 'prom-client';

interface Exemplar {
  readonly labelSet: Readonly<Record<string, string>>;
  readonly value: number;
  /** In seconds. */
  readonly timestamp: number;
}

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** Number of observations per bucket, not cumulative. The last bucket has no upper bound. */
  readonly counts: number[];
  readonly exemplars: (Exemplar | undefined)[];
  sum: number;
}

/** One line of the output, in the form that prom-client's registry expects. */
interface Sample {
  readonly metricName: string;
  readonly labels: Record<string, string | number>;
  readonly value: number;
  readonly exemplar?: Exemplar | undefined;
}

/**
 * A faster histogram for prom-client, which finds its series by the values of the labels. prom-client's own validates
 * the labels at each observation, which takes ten times as long: 3 % of the processor time of a task.
 */
export class IndexedHistogram extends Histogram {
  readonly #config: Pick<HistogramConfiguration<string>, 'name' | 'help'>;
  readonly #bounds: readonly number[];
  readonly #labelNames: readonly string[];
  readonly #series = new Map<string, Series>();

  constructor(config: HistogramConfiguration<string> & { readonly buckets: number[] }) {
    super(config);
    const { name, help, buckets, labelNames = [] } = config;
    this.#config = { name, help };
    this.#bounds = buckets;
    this.#labelNames = labelNames;
    if (labelNames.length === 0) this.#seriesOf({});
  }

  /** @param traceId the sampled trace in which the value was measured; it becomes an exemplar */
  record(labels: Readonly<Record<string, string>>, value: number, traceId: string | undefined): void {
    const series = this.#seriesOf(labels);
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] ?? 0)) bucket++;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += value;
    if (traceId === undefined) return;
    series.exemplars[bucket] = { labelSet: { trace_id: traceId }, value, timestamp: Date.now() / 1_000 };
  }

  /** Called by prom-client's registry and by its `get`, although prom-client's types lack it. */
  async getForPromString() {
    const values = Array.from(this.#series.values(), (series) => this.#samples(series)).flat();
    return { ...this.#config, type: 'histogram', aggregator: 'sum', values };
  }

  #seriesOf(labels: Readonly<Record<string, string>>): Series {
    let key = '';
    for (const name of this.#labelNames) key += `${labels[name]}\n`;
    let series = this.#series.get(key);
    if (!series) {
      const buckets = this.#bounds.length + 1;
      series = { labels, counts: Array(buckets).fill(0), exemplars: Array(buckets).fill(undefined), sum: 0 };
      this.#series.set(key, series);
    }
    return series;
  }

  #samples({ labels, counts, exemplars, sum }: Series): Sample[] {
    const { name } = this.#config;
    let count = 0;
    const buckets = counts.map((each, i): Sample => {
      count += each;
      const le = this.#bounds[i] ?? '+Inf';
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count, exemplar: exemplars[i] };
    });
    const totals = { sum, count };
    return [
      ...buckets,
      ...Object.entries(totals).map(([what, value]) => ({
        metricName: `${name}_${what}`,
        labels: { ...labels },
        value,
      })),
    ];
  }
}
