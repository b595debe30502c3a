import type { ArtifactEvent, StatusEvent, TurnEvent } from '@switchyard/protocol';
import { nextDigest, readMark, type StepMark, writeMark } from './step-mark.ts';

/**
 * The events of one run of a step. What an earlier run, cut short, has published already is not published again:
 * - of the statuses, as many as it had said are left out;
 * - the chunks are held back as long as they may be the same. If they were, they stand; if they differ (a model never
 *   says
 *   the same twice), they are written: the first chunk of an artifact replaces what the earlier run had left of it.
 */
export class StepEvents {
  readonly #key: string;
  readonly #earlier: StepMark;
  readonly #publish: (event: TurnEvent) => Promise<void>;
  readonly #unwritten = new Set<Promise<void>>();
  /** What is durable of this step: its mark goes with every event. */
  #stored: StepMark;
  #statuses = 0;
  #chunks = 0;
  #digest = '';
  #held: ArtifactEvent[] | undefined;

  /** @param mark what the earlier run had published; '' for nothing */
  constructor(key: string, mark: string, publish: (event: TurnEvent) => Promise<void>) {
    this.#key = key;
    this.#earlier = readMark(mark);
    this.#stored = this.#earlier;
    this.#held = this.#earlier.chunks > 0 ? [] : undefined;
    this.#publish = publish;
  }

  publish(event: TurnEvent): Promise<void> {
    const written = event.kind === 'status' ? this.#status(event) : this.#artifact(event);
    this.#unwritten.add(written);
    written.then(
      () => this.#unwritten.delete(written),
      () => undefined, // stays: `end` is to reject
    );
    return written;
  }

  /** Resolves when everything is written, rejects if something could not be. */
  async end(): Promise<void> {
    await this.#release();
    await Promise.all(this.#unwritten);
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
    if (this.#held.reduce(nextDigest, '') === this.#earlier.digest) this.#stand();
    else await this.#release();
  }

  /** The same chunks as before: they are there already. */
  #stand(): void {
    this.#held = undefined;
    this.#chunks = this.#earlier.chunks;
    this.#digest = this.#earlier.digest;
  }

  /** Other chunks than before, or fewer: these count. */
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
