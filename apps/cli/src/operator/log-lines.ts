import { constants, type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { LogFiles } from '../data-folder/log-files.ts';

const LOOK_EVERY_MS = 200;
const READ_BYTES = 65_536;

export interface Following {
  /** Goes on until the signal is aborted. */
  readonly isFollowed: boolean;
  readonly signal: AbortSignal;
}

/** The lines of a log, the earliest first. @throws if there is no log */
export async function* logLines(files: LogFiles, { isFollowed, signal }: Following): AsyncGenerator<string> {
  let file = await openLog(files.current);
  try {
    const previous = await openLog(files.previous).catch(() => undefined);
    // The files were rotated between the two calls: both are the same.
    if (previous && (await inode(previous)) !== (await inode(file))) yield* new LineReader(previous).rest();
    await previous?.close();
    for (let reader = new LineReader(file); ; ) {
      yield* reader.rest();
      if (!isFollowed || signal.aborted) return;
      await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
      if (!(await isRotated(files.current, file))) continue;
      yield* reader.rest();
      await file.close();
      file = await openLog(files.current);
      reader = new LineReader(file);
    }
  } finally {
    await file.close();
  }
}

/** Its lines up to now, each once. */
class LineReader {
  readonly #file: FileHandle;
  readonly #bytes = Buffer.alloc(READ_BYTES);
  readonly #decoder = new TextDecoder();
  #position = 0;
  #rest = '';

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async *rest(): AsyncGenerator<string> {
    for (;;) {
      const { bytesRead } = await this.#file.read(this.#bytes, 0, READ_BYTES, this.#position);
      if (bytesRead === 0) return;
      this.#position += bytesRead;
      this.#rest += this.#decoder.decode(this.#bytes.subarray(0, bytesRead), { stream: true });
      const lines = this.#rest.split('\n');
      this.#rest = lines.pop() ?? '';
      yield* lines;
    }
  }
}

/** Not through a link, which could have come with a project. */
const openLog = (path: string): Promise<FileHandle> => open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));

const inode = async (file: FileHandle): Promise<number> => (await file.stat()).ino;

/** The path has a new file. Between the two steps of a rotation it has none. */
async function isRotated(path: string, file: FileHandle): Promise<boolean> {
  const now = await stat(path).catch(() => undefined);
  return now !== undefined && now.ino !== (await inode(file));
}
