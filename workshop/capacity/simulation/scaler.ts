/** An autoscaler as KEDA and the Horizontal Pod Autoscaler are one together: so many workers as the jobs need. */
export interface ScalerSettings {
  readonly least: number;
  readonly most: number;
  /** Which jobs count. */
  readonly counts: 'waiting' | 'waiting and active';
  /** Of those, for each worker. */
  readonly jobsPerWorker: number;
  readonly pollSeconds: number;
  /** From the decision until a worker takes jobs. */
  readonly startSeconds: number;
  /** Fewer only once for so long no more were needed. */
  readonly downAfterSeconds: number;
}

interface Jobs {
  readonly waiting: number;
  readonly active: number;
}

/** Told how many jobs there are, says how many workers there should be. */
export class Scaler {
  readonly #settings: ScalerSettings;
  /** What was needed lately, the oldest first. */
  #needs: { readonly at: number; readonly workers: number }[] = [];

  constructor(settings: ScalerSettings) {
    this.#settings = settings;
  }

  /** @param now seconds */
  decide(now: number, { waiting, active }: Jobs): number {
    const { counts, jobsPerWorker, least, most, downAfterSeconds } = this.#settings;
    const jobs = counts === 'waiting' ? waiting : waiting + active;
    const needed = Math.min(most, Math.max(least, Math.ceil(jobs / jobsPerWorker)));
    this.#needs = [...this.#needs.filter(({ at }) => at > now - downAfterSeconds), { at: now, workers: needed }];
    return Math.max(...this.#needs.map(({ workers }) => workers));
  }
}
