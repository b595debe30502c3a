import type { Series } from '@switchyard/operator-api';
import type { QueueSum, WorkerReading } from '@switchyard/operators';
import { live } from './live.ts';
import { seriesParameters } from './parameters.ts';
import { adminRoute } from './route.ts';

export interface SeriesSources {
  readonly queues: () => Promise<QueueSum>;
  readonly redisBytes: () => Promise<number>;
  readonly workers: () => Promise<readonly WorkerReading[]>;
  /** Open streams of this gateway. */
  readonly openStreams: () => number;
}

type Point = Readonly<Record<keyof Series['points'], number | null>>;

/** One hour. */
const kept = 720;

const unknown: Point = {
  acceptedPerSecond: null,
  endedPerSecond: null,
  queueWaitP95Ms: null,
  firstEventP95Ms: null,
  openStreams: null,
  waiting: null,
  oldestWaitMs: null,
  redisBytes: null,
};

/** Figures of the last hour, in memory, from one query of all queues every five seconds. */
export class SeriesRecorder {
  readonly #sources: SeriesSources;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isSampling = false;
  #last: QueueSum | undefined;
  readonly #points: Point[] = [];
  /** Time of the last point, in units of `everyMs`. */
  #slot = 0;

  constructor(sources: SeriesSources, everyMs = 5_000) {
    this.#sources = sources;
    this.#everyMs = everyMs;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.#sample(), this.#everyMs);
    void this.#sample();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** @param fromMs time of the first point; default: all */
  read(fromMs = 0): Series {
    const everyMs = this.#everyMs;
    const firstMs = (this.#slot - this.#points.length + 1) * everyMs;
    const skipped = Math.min(this.#points.length, Math.max(0, Math.ceil((fromMs - firstMs) / everyMs)));
    const shown = this.#points.slice(skipped);
    return { everyMs, fromMs: Math.max(0, firstMs + skipped * everyMs), points: columnsOf(shown) };
  }

  async #sample(): Promise<void> {
    if (this.#isSampling) return;
    this.#isSampling = true;
    try {
      this.#add(await this.#point());
    } catch {
      // Redis does not answer: the series has a gap.
      this.#last = undefined;
      this.#add(unknown);
    } finally {
      this.#isSampling = false;
    }
  }

  async #point(): Promise<Point> {
    const { queues, redisBytes, workers, openStreams } = this.#sources;
    const [sum, bytes, reports] = await Promise.all([queues(), redisBytes(), workers()]);
    const rates = ratesOf(sum, this.#last);
    this.#last = sum;
    return {
      ...rates,
      queueWaitP95Ms: slowest(reports, 'queueWaitP95Ms'),
      firstEventP95Ms: slowest(reports, 'firstEventP95Ms'),
      openStreams: openStreams(),
      waiting: sum.waiting,
      oldestWaitMs: sum.oldestWaitMs,
      redisBytes: bytes,
    };
  }

  #add(point: Point): void {
    const slot = Math.floor(Date.now() / this.#everyMs);
    const missed = this.#points.length === 0 ? 0 : Math.min(kept, slot - this.#slot - 1);
    for (let i = 0; i < missed; i++) this.#points.push(unknown);
    // Two samples in one slot: the later one is kept.
    if (slot === this.#slot) this.#points.pop();
    this.#points.push(point);
    this.#points.splice(0, this.#points.length - kept);
    this.#slot = slot;
  }
}

function columnsOf(points: readonly Point[]): Series['points'] {
  const column = (name: keyof Point): (number | null)[] => points.map((point) => point[name]);
  return {
    acceptedPerSecond: column('acceptedPerSecond'),
    endedPerSecond: column('endedPerSecond'),
    queueWaitP95Ms: column('queueWaitP95Ms'),
    firstEventP95Ms: column('firstEventP95Ms'),
    openStreams: column('openStreams'),
    waiting: column('waiting'),
    oldestWaitMs: column('oldestWaitMs'),
    redisBytes: column('redisBytes'),
  };
}

/** Sum over the workers that report; null: none reports a value. */
function slowest(workers: readonly WorkerReading[], figure: 'queueWaitP95Ms' | 'firstEventP95Ms'): number | null {
  const alive = workers.filter(({ state }) => state !== 'silent');
  const known = alive.map(({ figures }) => figures?.[figure] ?? null).filter((ms) => ms !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/** Turns that have ended, or wait for another attempt, do not run. */
function ratesOf(now: QueueSum, last: QueueSum | undefined): Pick<Point, 'acceptedPerSecond' | 'endedPerSecond'> {
  const ms = last ? now.atMs - last.atMs : 0;
  if (!last || ms <= 0) return { acceptedPerSecond: null, endedPerSecond: null };
  const perSecond = (count: number): number => Math.max(0, Math.round((count * 10_000) / ms) / 10);
  return {
    acceptedPerSecond: perSecond(now.added - last.added),
    endedPerSecond: perSecond(now.began - now.active - (last.began - last.active)),
  };
}

/** The series of figures. */
export const seriesRoutes = [
  live(
    adminRoute(['get', '/admin/series'], seriesParameters, async ({ series }, { parameters }) =>
      series.read(parameters.fromMs),
    ),
  ),
];
