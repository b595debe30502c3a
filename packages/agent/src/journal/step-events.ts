import type { ArtifactEvent, StatusEvent, TurnEvent } from '@switchyard/protocol';
import { nextDigest, readMark, type StepMark, writeMark } from './step-mark.ts';

/**
 * Publishes the events of one run of a step, without those that an earlier, unfinished run has published:
 * - as many statuses as that run published are skipped;
 * - chunks are held back while they may be the same. If all are, none is written again. If they differ (a model may
 *   answer differently), they are written, and the first chunk of an artifact replaces what the earlier run wrote of
 *   it.
 */
export class StepEvents {
  readonly #key: string;
  readonly #earlier: StepMark;
  readonly #publish: (event: TurnEvent) => Promise<void>;
  readonly #unwritten = new Set<Promise<void>>();
  /** The stored events of this step: its mark is written with every event. */
  #stored: StepMark;
  #statuses = 0;
  #chunks = 0;
  #digest = '';
  #held: ArtifactEvent[] | undefined;
  #isAbandoned = false;

  /** @param mark of the events of the earlier run; '' for none */
  constructor(key: string, mark: string, publish: (event: TurnEvent) => Promise<void>) {
    this.#key = key;
    this.#earlier = readMark(mark);
    this.#stored = this.#earlier;
    this.#held = this.#earlier.chunks > 0 ? [] : undefined;
    this.#publish = publish;
  }

  /** Whether the run has failed. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  publish(event: TurnEvent): Promise<void> {
    const written = event.kind === 'status' ? this.#status(event) : this.#artifact(event);
    this.#unwritten.add(written);
    written.then(
      () => this.#unwritten.delete(written),
      () => undefined, // `end` rejects with it
    );
    return written;
  }

  /** Resolves when all events are written; rejects if one could not be written. */
  async end(): Promise<void> {
    await this.#release();
    await Promise.all(this.#unwritten);
  }

  /** Call it when the run has failed. Resolves when none of its events is being written any more. */
  async abandon(): Promise<void> {
    this.#isAbandoned = true;
    await Promise.allSettled(this.#unwritten);
  }

  async #status(event: StatusEvent): Promise<void> {
    this.#statuses++;
    if (this.#statuses <= this.#earlier.statuses) return;
    await this.#write(event, { ...this.#stored, statuses: this.#statuses });
  }

  async #artifact(event: ArtifactEvent): Promise<void> {
    if (!this.#held) return this.#writeChunk(event);
    this.#held.push(event);
    if (this.#held.length < this.#earlier.chunks) return;
    if (this.#held.reduce(nextDigest, '') === this.#earlier.digest) this.#dropHeld();
    else await this.#release();
  }

  /** The same chunks as before: they are stored already. */
  #dropHeld(): void {
    this.#held = undefined;
    this.#chunks = this.#earlier.chunks;
    this.#digest = this.#earlier.digest;
  }

  /** The chunks differ from those before, or are fewer: writes them. */
  async #release(): Promise<void> {
    const held = this.#held ?? [];
    this.#held = undefined;
    await Promise.all(held.map((event) => this.#writeChunk(event)));
  }

  #writeChunk(event: ArtifactEvent): Promise<void> {
    this.#chunks++;
    this.#digest = nextDigest(this.#digest, event);
    return this.#write(event, { ...this.#stored, chunks: this.#chunks, digest: this.#digest });
  }

  #write(event: TurnEvent, mark: StepMark): Promise<void> {
    this.#stored = mark;
    return this.#publish({ ...event, step: { key: this.#key, mark: writeMark(mark) } });
  }
}
