import { type ReadonlySignal, signal } from '@preact/signals';
import { fold, type StreamResponse, type Task } from '@switchyard/protocol';

/** A task built from its events. The page is updated at most once per frame. */
export class LiveTask {
  readonly #task = signal<Task | undefined>(undefined);
  readonly #onFrame: (write: () => void) => void;
  /** How often each artifact was replaced: in between, its text only grows. */
  readonly #replaced = new Map<string, number>();
  readonly #closed = new Set<string>();
  #latest: Task | undefined;
  #isDue = false;

  /** @param onFrame calls back before the next paint */
  constructor(onFrame: (write: () => void) => void) {
    this.#onFrame = onFrame;
  }

  get task(): ReadonlySignal<Task | undefined> {
    return this.#task;
  }

  take(event: StreamResponse): void {
    if (event.task) {
      for (const { artifactId } of [...(this.#latest?.artifacts ?? []), ...(event.task.artifacts ?? [])])
        this.#replace(artifactId);
      this.#latest = event.task;
    } else if (this.#latest) {
      if (event.artifactUpdate) this.#note(event.artifactUpdate);
      this.#latest = fold(this.#latest, event);
    }
    if (this.#isDue) return;
    this.#isDue = true;
    this.#onFrame(() => {
      this.#isDue = false;
      this.#task.value = this.#latest;
    });
  }

  /** The same while texts of an artifact only grow. */
  versionOf(artifactId: string): string {
    return `${artifactId} ${this.#replaced.get(artifactId) ?? 0}`;
  }

  /** Whether an artifact is complete. */
  isClosed(artifactId: string): boolean {
    return this.#closed.has(artifactId);
  }

  #note({ artifact: { artifactId }, append, lastChunk }: NonNullable<StreamResponse['artifactUpdate']>): void {
    if (!append) this.#replace(artifactId);
    if (lastChunk) this.#closed.add(artifactId);
  }

  #replace(artifactId: string): void {
    this.#replaced.set(artifactId, (this.#replaced.get(artifactId) ?? 0) + 1);
    this.#closed.delete(artifactId);
  }
}
