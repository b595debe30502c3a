import { LRUCache } from 'lru-cache';
import type { TaskReading, TaskView } from './task-reading.ts';

/**
 * What an entry takes beside its bytes (resident memory of 100,000 entries, Node 24): thousands of small tasks are
 * mostly that.
 */
const ENTRY_BYTES = 1_600;

export type WholeReading = TaskReading & { readonly task: Buffer };

/**
 * The answers given last. It saves Redis from handing out again what has not changed, and never answers by itself:
 * every read asks Redis for the present version, and with it whether this owner may see the task.
 */
export class TaskCache {
  readonly #readings: LRUCache<string, WholeReading> | undefined;

  /** @param maxBytes about so much memory; 0: nothing is kept */
  constructor(maxBytes: number) {
    if (maxBytes > 0)
      this.#readings = new LRUCache({
        maxSize: maxBytes,
        maxEntrySize: Math.ceil(maxBytes / 8),
        sizeCalculation: ({ task }) => task.length + ENTRY_BYTES,
      });
  }

  get(taskId: string, view: TaskView): WholeReading | undefined {
    return this.#readings?.get(keyOf(taskId, view));
  }

  set(taskId: string, view: TaskView, reading: WholeReading): void {
    this.#readings?.set(keyOf(taskId, view), reading);
  }
}

const keyOf = (taskId: string, { historyLength, includeArtifacts = true }: TaskView): string =>
  `${taskId} ${historyLength ?? ''} ${includeArtifacts}`;
