import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { LogFiles } from '../data-folder/log-files.ts';

/** Bytes after which the file becomes the previous one. */
const MAX_BYTES = 8 * 1_024 * 1_024;

const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants;

/**
 * Lines in two files of bounded size, which only their owner can read. Several processes may write to them. Written
 * synchronously: the last lines before the end of the process are those that matter.
 */
export class LogFile {
  readonly #files: LogFiles;
  readonly #maxBytes: number;
  readonly #onRefused: (why: string) => void;
  #file: number | undefined;
  #isRefused = false;

  /** @param onRefused called once: nothing more is written, for example because the disk is full */
  constructor(files: LogFiles, onRefused: (why: string) => void, maxBytes = MAX_BYTES) {
    this.#files = files;
    this.#onRefused = onRefused;
    this.#maxBytes = maxBytes;
  }

  write(line: string): void {
    if (this.#isRefused) return;
    try {
      this.#file ??= open(this.#files.current);
      writeSync(this.#file, `${line}\n`);
      if (fstatSync(this.#file).size >= this.#maxBytes) this.#rotate(this.#file);
    } catch (error) {
      this.#isRefused = true;
      this.#onRefused(error instanceof Error ? error.message : String(error));
    }
  }

  /** Another process may have done it already. */
  #rotate(file: number): void {
    const { current, previous } = this.#files;
    const isOpenFile = statSync(current, { throwIfNoEntry: false })?.ino === fstatSync(file).ino;
    if (isOpenFile) renameSync(current, previous);
    closeSync(file);
    this.#file = undefined;
  }
}

/** No link: one that came with a project could name any file of the user. */
function open(path: string): number {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  if (!fstatSync(file).isFile()) throw new Error(`${path} is no file`);
  fchmodSync(file, 0o600);
  return file;
}
