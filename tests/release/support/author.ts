import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../support/until.ts';
import { environment } from './empty-folder.ts';

/** What a command came to. */
export interface Done {
  readonly code: number | null;
  /** Of both outputs. */
  readonly output: string;
}

/** Programs that run until they are stopped, and what they say when they are ready. */
const staysUp = /\bnpm run dev\b|\bnpm start\b|switchyard-worker/;
const ready = /is ready on|"event":"started"/;
const readyWithinMs = 60_000;

/** Somebody at a terminal in a folder outside the repository, who types what a page says. */
export class Author implements AsyncDisposable {
  readonly #root: string;
  readonly #env: Readonly<Record<string, string>>;
  /** What stays up: it has a group of its own, to which a signal goes as from a terminal. */
  #running: { readonly child: ChildProcess; output: string } | undefined;
  folder: string;

  private constructor(root: string, env: Readonly<Record<string, string>>) {
    this.#root = root;
    this.folder = root;
    this.#env = env;
  }

  /** @param npmrc configuration of npm, beside that of the machine */
  static async sitDown(npmrc: string, env: Readonly<Record<string, string>>): Promise<Author> {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'switchyard-author-')));
    await writeFile(join(root, 'npmrc'), npmrc);
    const settings = { npm_config_globalconfig: join(root, 'npmrc'), npm_config_prefer_offline: 'true' };
    return new Author(root, { ...environment(), ...settings, ...env });
  }

  /** What the program that stays up has said. */
  get output(): string {
    return this.#running?.output ?? '';
  }

  async type(command: string): Promise<Done> {
    const [, folder] = /^cd (\S+)$/.exec(command) ?? [];
    if (folder !== undefined) {
      this.folder = join(this.folder, folder);
      return { code: 0, output: '' };
    }
    return staysUp.test(command) ? this.#start(command) : this.#run(command);
  }

  write(file: string, text: string): Promise<void> {
    return writeFile(join(this.folder, file), text);
  }

  /** Ctrl-C. */
  async stop(): Promise<void> {
    const { child } = this.#running ?? {};
    this.#running = undefined;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    process.kill(-child.pid, 'SIGINT');
    await once(child, 'exit');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await rm(this.#root, { recursive: true, force: true });
  }

  async #run(command: string): Promise<Done> {
    const { child, said } = this.#spawn(command);
    const [code] = await once(child, 'close');
    return { code, output: said.output };
  }

  async #start(command: string): Promise<Done> {
    await this.stop();
    const { child, said } = this.#spawn(command);
    this.#running = said;
    const isUp = () => ready.test(said.output) || child.exitCode !== null;
    await until(isUp, { what: `"${command}" is ready`, timeoutMs: readyWithinMs });
    return { code: child.exitCode ?? 0, output: said.output };
  }

  #spawn(command: string) {
    const child = spawn('/bin/sh', ['-c', command], {
      cwd: this.folder,
      env: this.#env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { child, output: '' };
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        said.output += String(chunk);
      });
    return { child, said };
  }
}
