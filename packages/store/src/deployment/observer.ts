/** Gets the events of a store that metrics count. Its methods must return at once, and must not throw. */
export interface StoreObserver {
  /** Redis has written a batch of events. */
  appended?(ms: number): void;
  /** A reader missed live events, or was too slow for them, and read them from the stream or a snapshot instead. */
  gapFilled?(from: 'stream' | 'snapshot'): void;
  /** A live event has arrived at a reader, this long after its timestamp. A sample. */
  arrived?(lagMs: number): void;
}

/** One in this many statuses that arrive is measured. */
const SAMPLED = 64;
/** Parsing a longer event would delay what is measured. */
const MAX_BYTES = 4_096;

/** Passes the events of a store on to its `StoreObserver`, which may be set later. */
export class Observer {
  target: StoreObserver | undefined;
  #arrivals = 0;

  appended(ms: number): void {
    this.target?.appended?.(ms);
  }

  gapFilled(from: 'stream' | 'snapshot'): void {
    this.target?.gapFilled?.(from);
  }

  /** @param json of an A2A StreamResponse */
  arrived(json: string): void {
    if (!this.target?.arrived || ++this.#arrivals < SAMPLED) return;
    const timestamp = statusTimestamp(json);
    if (timestamp === undefined) return;
    this.#arrivals = 0;
    this.target.arrived(Math.max(0, Date.now() - Date.parse(timestamp)));
  }
}

function statusTimestamp(json: string): string | undefined {
  if (!json.startsWith('{"statusUpdate"') || json.length > MAX_BYTES) return undefined;
  const { statusUpdate }: { statusUpdate: { status: { timestamp?: string } } } = JSON.parse(json);
  return statusUpdate.status.timestamp;
}
