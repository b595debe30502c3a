import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Editors write a file in several steps. */
const settledAfterMs = 100;

/** Watches the folders of files: editors replace a file with a new one, which a watch on the old file would miss. */
export class WatchedFiles {
  readonly #files = new Set<string>();
  readonly #folders = new Map<string, FSWatcher>();
  readonly #onChange: (path: string) => void;
  #timer: NodeJS.Timeout | undefined;

  /** @param onChange gets one of the changed files, once there are no further changes */
  constructor(onChange: (path: string) => void) {
    this.#onChange = onChange;
  }

  add(path: string): void {
    this.#files.add(path);
    const folder = dirname(path);
    if (this.#folders.has(folder)) return;
    const watcher = watch(folder, (_, name) => this.#check(`${folder}/${basename(name ?? '')}`));
    // The folder was removed.
    watcher.on('error', () => watcher.close());
    this.#folders.set(folder, watcher);
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#folders.values()) watcher.close();
  }

  #check(path: string): void {
    if (!this.#files.has(path)) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#onChange(path), settledAfterMs);
  }
}
