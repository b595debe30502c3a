import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMissing, isTaken } from './durable.ts';
import { FileRefused } from './file-refused.ts';

/** In the folder of an upload. */
export const writerName = 'writer';
/** For so long a request may write without a look whether another one has taken its upload over. */
const LOOK_MS = 50;
/** Until a request that was taken over has seen it, and its last write has ended. */
const HAND_OVER_MS = 4 * LOOK_MS;

/**
 * Which request writes an upload, of all processes that share the folder. The later one of two takes it over: its client
 * may have lost the connection of the first one, of which that process knows nothing.
 */
export class WriterClaim {
  readonly #path: string;
  readonly #name = randomBytes(8).toString('hex');
  #lookedAtMs = performance.now();

  private constructor(path: string) {
    this.#path = path;
  }

  /** Resolves when no other request writes any more. @param folder of the upload @returns undefined: there is none */
  static async take(folder: string): Promise<WriterClaim | undefined> {
    const claim = new WriterClaim(join(folder, writerName));
    try {
      if (!(await claim.#isFirst())) {
        await writeFile(claim.#path, claim.#name);
        await sleep(HAND_OVER_MS);
        await claim.require();
      }
      return claim;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** To be called before each write. @throws {FileRefused} `busy` */
  async requireSometimes(): Promise<void> {
    if (performance.now() - this.#lookedAtMs > LOOK_MS) await this.require();
  }

  /** @throws {FileRefused} `busy`: another request has taken the upload over */
  async require(): Promise<void> {
    if ((await this.#holder()) !== this.#name)
      throw new FileRefused('busy', 'Another request goes on with this upload, or has removed it');
    this.#lookedAtMs = performance.now();
  }

  /** For the next request, which then need not wait. */
  async release(): Promise<void> {
    if ((await this.#holder()) === this.#name) await rm(this.#path, { force: true });
  }

  async #isFirst(): Promise<boolean> {
    try {
      await writeFile(this.#path, this.#name, { flag: 'wx' });
      return true;
    } catch (error) {
      if (isTaken(error)) return false;
      throw error;
    }
  }

  async #holder(): Promise<string | undefined> {
    try {
      return await readFile(this.#path, 'utf8');
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }
}
