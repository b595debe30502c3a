import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

// Installs clients in other languages, each once, with the versions of its lock file.

const execute = promisify(execFile);
const clients = fileURLToPath(new URL('../clients', import.meta.url));
/** A folder per client, with a hash of its files: all checkouts of a user share it. */
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'switchyard/interop');

const installWithinMs = 1_400_000;

/** An installed program in another language. */
export interface InstalledClient {
  readonly file: string;
  readonly args: readonly string[];
}

/** A language: why it cannot be used here, and how its client is installed. */
export interface Toolchain {
  /** Undefined if it can. */
  readonly missing: string | undefined;
  /** If one of them changes, the client is installed again. */
  readonly files: readonly string[];
  /** The folder is there, perhaps with the rest of an installation that was cut off. */
  install(client: string, folder: string): Promise<void>;
  program(client: string, folder: string): InstalledClient;
}

const python = ['python3.13', 'python3.12', 'python3.11', 'python3.10', 'python3'].find(hasPython);

export const pythonToolchain = pythonToolchainOf('client.py');
/** Agents, which are called here. */
export const pythonAgentToolchain = pythonToolchainOf('agent.py');

function pythonToolchainOf(file: string): Toolchain {
  return {
    missing: python === undefined ? 'Python 3.10 or newer, with venv, is not installed' : undefined,
    files: ['requirements.txt'],
    async install(client, folder) {
      await rm(folder, { recursive: true, force: true });
      await execute(python ?? '', ['-m', 'venv', folder], { timeout: installWithinMs });
      const lock = resolve(clients, client, 'requirements.txt');
      // The lock file names every package: without --no-deps pip looks for newer ones, and refuses them without a hash.
      const args = ['install', '--quiet', '--no-deps', '--require-hashes', '-r', lock];
      await execute(join(folder, 'bin/pip'), args, { timeout: installWithinMs });
    },
    program: (client, folder) => ({ file: join(folder, 'bin/python'), args: [resolve(clients, client, file)] }),
  };
}

export const goToolchain = goToolchainOf('.');

/** @param what is built: `.` is the client's own `main.go`, else a command of a module in its `go.mod` */
export function goToolchainOf(what: string): Toolchain {
  return {
    missing: runs('go', ['version']) ? undefined : 'Go is not installed',
    files: what === '.' ? ['go.sum', 'main.go'] : ['go.sum'],
    async install(client, folder) {
      const args = ['build', '-mod=readonly', '-o', join(folder, 'client'), what];
      await execute('go', args, { cwd: resolve(clients, client), timeout: installWithinMs });
    },
    program: (_, folder) => ({ file: join(folder, 'client'), args: [] }),
  };
}

export const rustToolchain = rustToolchainOf('client');
export const rustAgentToolchain = rustToolchainOf('agent');

/** @param program of the crate */
function rustToolchainOf(program: string): Toolchain {
  return {
    missing: missingForRust(),
    files: ['Cargo.lock', 'src/agent.rs', 'src/client.rs'],
    async install(client, folder) {
      const args = ['build', '--quiet', '--locked', '--target-dir', folder];
      await execute('cargo', args, { cwd: resolve(clients, client), timeout: installWithinMs });
    },
    program: (_, folder) => ({ file: join(folder, 'debug', program), args: [] }),
  };
}

function missingForRust(): string | undefined {
  if (!runs('cargo', ['--version'])) return 'Rust is not installed';
  const manifest = resolve(clients, 'rust/Cargo.toml');
  return runs('cargo', ['fetch', '--locked', '--manifest-path', manifest]) ? undefined : 'its crates cannot be fetched';
}

export const nodeToolchain = nodeToolchainOf('client.ts');
export const nodeAgentToolchain = nodeToolchainOf('agent.ts');

/** TypeScript, with the packages of this repository. */
function nodeToolchainOf(file: string): Toolchain {
  return {
    missing: undefined,
    files: [],
    install: async () => undefined,
    program: (client) => ({ file: process.execPath, args: [resolve(clients, client, file)] }),
  };
}

/** What a client printed for each case, by name. */
export type Report = Readonly<Record<string, unknown>>;

/**
 * @param client a folder of `clients`, or the path of another one
 * @throws {Error} with the output of the tools
 */
export async function install(client: string, toolchain: Toolchain): Promise<InstalledClient> {
  if (toolchain.files.length === 0) return toolchain.program(client, '');
  const hash = createHash('sha256');
  for (const file of toolchain.files) hash.update(await readFile(resolve(clients, client, file)));
  const folder = join(cache, `${basename(client)}-${hash.digest('hex').slice(0, 12)}`);
  const done = join(folder, 'installed');
  if (!existsSync(done)) {
    await mkdir(folder, { recursive: true });
    await toolchain.install(client, folder);
    await writeFile(done, '');
  }
  return toolchain.program(client, folder);
}

/** Runs a client. @returns its output */
export async function output({ file, args }: InstalledClient, ...more: readonly string[]): Promise<string> {
  return (await execute(file, [...args, ...more], { timeout: 60_000 })).stdout;
}

/** Runs a client; each line that it prints is `{ case, got }` or `{ case, failed }`. */
export async function report({ file, args }: InstalledClient, ...more: readonly string[]): Promise<Report> {
  const { stdout } = await execute(file, [...args, ...more], { timeout: 90_000 });
  const lines = stdout.split('\n').filter((line) => line.startsWith('{"case"'));
  return Object.fromEntries(lines.map((line) => reading(JSON.parse(line))));
}

function reading({ case: name, got, failed }: { case: string; got?: unknown; failed?: string }): [string, unknown] {
  return [name, failed === undefined ? got : `failed: ${failed}`];
}

function runs(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

function hasPython(command: string): boolean {
  return runs(command, ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))']);
}
