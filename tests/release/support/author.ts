import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type GuardedProcess, spawnGuarded } from '@switchyard/local';
import { until } from '../../support/until.ts';
import { environment } from './empty-folder.ts';

/** The result of a command. */
export interface Done {
  readonly code: number;
  /** Standard output and error. */
  readonly output: string;
}

/** Programs that run until they are stopped, and what they print when they are ready. */
const staysUp = /\bnpm run dev\b|\bnpm start\b|switchyard-worker/;
const ready = /is ready on|"event":"started"/;
const readyWithinMs = 60_000;

/** A user at a terminal in a folder outside the repository, who types the commands of a page. */
export class Author implements AsyncDisposable {
  readonly #root: string;
  readonly #env: Readonly<Record<string, string>>;
  /** The running program. */
  #running: Typed | undefined;
  folder: string;

  private constructor(root: string, env: Readonly<Record<string, string>>) {
    this.#root = root;
    this.folder = root;
    this.#env = env;
  }

  /** @param npmrc configuration of npm, in addition to that of the machine */
  static async sitDown(npmrc: string, env: Readonly<Record<string, string>>): Promise<Author> {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'switchyard-author-')));
    await writeFile(join(root, 'npmrc'), npmrc);
    const settings = { npm_config_globalconfig: join(root, 'npmrc'), npm_config_prefer_offline: 'true' };
    return new Author(root, { ...environment(), ...settings, ...env });
  }

  /** The output of the running program. */
  get output(): string {
    return this.#running?.output() ?? '';
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

  /** Ctrl-C: signals the whole process group, since npm's shell passes no signal on. */
  async stop(): Promise<void> {
    const { program } = this.#running ?? {};
    this.#running = undefined;
    if (!program?.isRunning()) return;
    const { stdout: group } = await promisify(execFile)('ps', ['-o', 'pgid=', '-p', String(program.pid)]);
    process.kill(-Number(group), 'SIGINT');
    await program.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await rm(this.#root, { recursive: true, force: true });
  }

  async #run(command: string): Promise<Done> {
    const typed = await this.#spawn(command);
    return { code: await typed.program.exited, output: typed.output() };
  }

  async #start(command: string): Promise<Done> {
    await this.stop();
    const typed = await this.#spawn(`exec ${command}`.replace(/^exec (\w+=\S+) /, '$1 exec '));
    this.#running = typed;
    const { program, output } = typed;
    const isUp = () => ready.test(output()) || !program.isRunning();
    await until(isUp, { what: `"${command}" is ready`, timeoutMs: readyWithinMs });
    return { code: program.isRunning() ? 0 : await program.exited, output: output() };
  }

  async #spawn(command: string): Promise<Typed> {
    const program = await spawnGuarded('/bin/sh', ['-c', command], { cwd: this.folder, env: this.#env });
    let said = '';
    for (const stream of [program.stdout, program.stderr])
      stream.on('data', (chunk) => {
        said += String(chunk);
      });
    return { program, output: () => said };
  }
}

/** A running command, and its output so far. */
interface Typed {
  readonly program: GuardedProcess;
  readonly output: () => string;
}
