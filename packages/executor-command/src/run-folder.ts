import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ifThere } from './files.ts';

/** The start of a run: where and when its program was started. */
export interface RunClaim {
  readonly runId: string;
  readonly host: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/**
 * The files that a program, its guard and any number of workers share. They outlive a worker, and can be on a shared
 * volume.
 */
export class RunFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Prepares the folder for the start of a program. Undefined if another attempt did: mkdir is the lock. */
  async claim(input: string): Promise<RunClaim | undefined> {
    try {
      await mkdir(this.path, { mode: 0o700 });
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return undefined;
      throw error;
    }
    const claim = { runId: randomUUID(), host: hostname(), startedAt: Date.now() };
    await Promise.all([this.#write('input', input), this.#write('output', ''), this.#write('lease', '')]);
    await this.#write('claim.part', JSON.stringify(claim));
    await rename(this.#file('claim.part'), this.#file('claim'));
    return claim;
  }

  /** The claim of the run; undefined while it is being written, or if its worker crashed before. */
  async readClaim(): Promise<RunClaim | undefined> {
    const text = await this.#read('claim');
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** The exit code; undefined while the program runs, and if it was stopped: then it runs again. */
  async exitCode(): Promise<number | undefined> {
    const code = await this.#read('exit');
    if (code === undefined || (Number(code) !== 0 && (await this.isStopping()))) return undefined;
    return Number(code);
  }

  async hasEnded(): Promise<boolean> {
    return (await this.#read('exit')) !== undefined;
  }

  /** Whether a worker has told the guard to end the program, or the guard ends it by itself. */
  async isStopping(): Promise<boolean> {
    return (await this.#read('stop')) !== undefined;
  }

  /** The id of the program's process group. */
  async groupId(): Promise<number | undefined> {
    const pid = Number(await this.#read('pid'));
    return pid > 1 ? pid : undefined;
  }

  /** Changes every second while a guard runs. */
  heartbeat(): Promise<string | undefined> {
    return this.#read('beat');
  }

  /** The heartbeat of a worker. */
  renewLease(): Promise<void> {
    return this.#write('lease', String(Date.now()));
  }

  /** Tells the guard, wherever it runs, to end the program. */
  askToStop(): Promise<void> {
    return this.#write('stop', '');
  }

  get output(): string {
    return this.#file('output');
  }

  /** Deletes the run, so that the program can start again. Safe if several workers do it at once. */
  async discard(): Promise<void> {
    const discarded = `${this.path}.${randomUUID()}`;
    await ifThere(rename(this.path, discarded));
    await rm(discarded, { recursive: true, force: true });
  }

  #file(name: string): string {
    return join(this.path, name);
  }

  #read(name: string): Promise<string | undefined> {
    return ifThere(readFile(this.#file(name), 'utf8'));
  }

  #write(name: string, text: string): Promise<void> {
    return writeFile(this.#file(name), text, { mode: 0o600 });
  }
}
