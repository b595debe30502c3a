import { LRUCache } from 'lru-cache';
import type { TaskJson } from './task-json.ts';
import type { TaskReading, TaskView } from './task-reading.ts';

/** Overhead of a task (resident memory of 100,000 tasks, Node 24): most of what small tasks take. */
const ENTRY_BYTES = 1_600;

export type WholeReading = TaskReading & { readonly task: TaskJson };

/**
 * Caches recently read tasks, so that Redis need not send an unchanged task again. It never answers by itself: every
 * read gets the version from Redis, and whether this principal may see the task.
 */
export class TaskCache {
  readonly #readings: LRUCache<string, WholeReading> | undefined;

  /** @param maxBytes approximate memory; 0: no cache */
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
