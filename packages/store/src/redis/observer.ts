/** Is told what happens in a store, for metrics. It returns at once, and does not throw. */
export interface StoreObserver {
  /** Redis has answered to a batch of events. */
  appended?(ms: number): void;
  /** A reader missed live events, or was too slow for them, and went on with what is kept. */
  gapFilled?(from: 'stream' | 'snapshot'): void;
  /** A live event has arrived at a reader, so long after its timestamp. Told of few. */
  arrived?(lagMs: number): void;
}

/** Of the statuses that arrive, one in so many is looked at. */
const SAMPLED = 64;
/** To parse a longer one would delay what is measured. */
const MOST_BYTES = 4_096;

/** Where the parts of a store find its observer, which may come later. */
export class Observed {
  by: StoreObserver | undefined;
  #arrivals = 0;

  /** @param json of an A2A StreamResponse */
  arrived(json: string): void {
    if (!this.by?.arrived || ++this.#arrivals < SAMPLED) return;
    const timestamp = statusTimestamp(json);
    if (timestamp === undefined) return;
    this.#arrivals = 0;
    this.by.arrived(Math.max(0, Date.now() - Date.parse(timestamp)));
  }
}

function statusTimestamp(json: string): string | undefined {
  if (!json.startsWith('{"statusUpdate"') || json.length > MOST_BYTES) return undefined;
  const { statusUpdate }: { statusUpdate: { status: { timestamp?: string } } } = JSON.parse(json);
  return statusUpdate.status.timestamp;
}
