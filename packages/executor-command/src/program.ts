import { type FileHandle, open } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { GuardWatch, isUsable, type Launch, signalGroup, spawnGuard } from './guard.ts';
import type { RunClaim, RunFolder } from './run-folder.ts';

const checkEveryMs = 100;
const chunkBytes = 65_536;

/** A program that a guard runs or has run. */
export class Program {
  readonly claim: RunClaim;
  /** False: an earlier attempt started it, and this one takes it over. */
  readonly isNew: boolean;
  readonly #folder: RunFolder;
  #groupId: number | undefined;

  private constructor(folder: RunFolder, claim: RunClaim, groupId?: number) {
    this.#folder = folder;
    this.claim = claim;
    this.#groupId = groupId;
    this.isNew = groupId !== undefined;
  }

  /**
   * Takes over the program that an earlier attempt started, if it still runs or has ended by itself; otherwise starts
   * it.
   */
  static async open(folder: RunFolder, launch: () => Promise<Launch>): Promise<Program> {
    for (;;) {
      const earlier = await folder.readClaim();
      if (earlier && (await isUsable(folder, earlier))) return new Program(folder, earlier);
      await folder.discard();
      const prepared = await launch();
      const claim = await folder.claim(prepared.input);
      if (claim) return new Program(folder, claim, await spawnGuard(folder, prepared));
      // Another worker was faster: use its run.
      await delay(checkEveryMs);
    }
  }

  /** The exit code, when the output has ended; undefined if the program was stopped. 128 + n: ended by signal n. */
  exitCode(): Promise<number | undefined> {
    return this.#folder.exitCode();
  }

  /**
   * The program's output from a position in bytes, until the program has ended. Reading renews the worker's lease.
   * @throws the reason of the signal
   * @throws {ProgramLost}
   */
  async *output(position: number, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    const watch = new GuardWatch(this.#folder);
    let at = position;
    await using file = await open(this.#folder.output, 'r');
    for (;;) {
      const hasEnded = await this.#folder.hasEnded();
      for await (const chunk of readFrom(file, at)) {
        at += chunk.length;
        yield chunk;
      }
      if (hasEnded) return;
      signal.throwIfAborted();
      await watch.renewAndCheck();
      await delay(checkEveryMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  /** The end of its output. */
  async tail(bytes: number): Promise<Buffer> {
    await using file = await open(this.#folder.output, 'r');
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, Math.max(0, size - bytes));
    return buffer.subarray(0, bytesRead);
  }

  /** Deletes the run: the next attempt starts the program again. */
  discard(): Promise<void> {
    return this.#folder.discard();
  }

  /** Sends SIGTERM to the whole process group, SIGKILL after `killAfterMs`. Resolves when the group is gone. */
  async stop(killAfterMs: number): Promise<void> {
    await this.#folder.askToStop();
    // On another machine the guard reads the request to stop.
    if (this.claim.host !== hostname()) return;
    this.#groupId ??= await this.#folder.groupId();
    if (this.#groupId === undefined) return;
    const deadline = Date.now() + killAfterMs;
    let isThere = signalGroup(this.#groupId, 'SIGTERM');
    while (isThere && Date.now() < deadline && !(await this.#folder.hasEnded())) {
      await delay(20);
      isThere = signalGroup(this.#groupId, 0);
    }
    if (isThere) signalGroup(this.#groupId, 'SIGKILL');
  }
}

async function* readFrom(file: FileHandle, position: number): AsyncGenerator<Buffer, void, undefined> {
  for (let at = position; ; ) {
    const buffer = Buffer.allocUnsafe(chunkBytes);
    const { bytesRead } = await file.read(buffer, 0, chunkBytes, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
