import type { AuditEvent, AuditTrail } from '@switchyard/store';

/** How long an event waits for others. */
const WAIT_MS = 200;
/** So many are written at once, and wait no longer. */
const BATCH = 100;
/** Between two attempts while Redis does not take them. */
const RETRY_MS = 1_000;
const MOST_HELD = 10_000;

/** Writes events to the audit trail in batches. Those of an outage are held, up to a number, and written after it. */
export class AuditWriter {
  readonly #trail: Pick<AuditTrail, 'write'>;
  readonly #onDropped: (count: number) => void;
  #held: AuditEvent[] = [];
  #dropped = 0;
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param onDropped gets how many events will never be written; at most once a second */
  constructor(trail: Pick<AuditTrail, 'write'>, onDropped: (count: number) => void) {
    this.#trail = trail;
    this.#onDropped = onDropped;
  }

  write(event: AuditEvent): void {
    if (this.#held.length >= MOST_HELD) this.#dropped++;
    else this.#held.push(event);
    if (this.#writing) return;
    if (this.#held.length === BATCH) this.#begin();
    else this.#timer ??= this.#beginIn(WAIT_MS);
  }

  /** Writes what is held, if Redis takes it now. */
  async stop(): Promise<void> {
    while (this.#writing) await this.#writing;
    while (this.#held.length > 0 && (await this.#writeBatch()));
    clearTimeout(this.#timer);
    this.#dropped += this.#held.length;
    this.#held = [];
    this.#tellDropped();
  }

  #beginIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#begin(), ms).unref();
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writeDue().then((isTaken) => {
      this.#writing = undefined;
      this.#tellDropped();
      if (this.#held.length > 0) this.#timer = this.#beginIn(isTaken ? WAIT_MS : RETRY_MS);
    });
  }

  /** @returns whether Redis took them */
  async #writeDue(): Promise<boolean> {
    let isTaken = await this.#writeBatch();
    while (isTaken && this.#held.length >= BATCH) isTaken = await this.#writeBatch();
    return isTaken;
  }

  /** False while Redis is away or full: `switchyard_redis_up`, or refused messages, show that. */
  async #writeBatch(): Promise<boolean> {
    const batch = this.#held.slice(0, BATCH);
    const isTaken = await this.#trail.write(batch).then(
      () => true,
      () => false,
    );
    if (isTaken) this.#held = this.#held.slice(batch.length);
    return isTaken;
  }

  #tellDropped(): void {
    if (this.#dropped > 0) this.#onDropped(this.#dropped);
    this.#dropped = 0;
  }
}
