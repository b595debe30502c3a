import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder outside the repository, as a user has it before the first `npm install`. */
export class EmptyFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async create(): Promise<EmptyFolder> {
    const folder = new EmptyFolder(await realpath(await mkdtemp(join(tmpdir(), 'switchyard-release-'))));
    await folder.write('package.json', '{ "name": "outside", "private": true, "type": "module" }');
    return folder;
  }

  async write(name: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.path, name)), { recursive: true });
    await writeFile(join(this.path, name), text);
  }

  /**
   * Installs packages from their tarballs, with our own dependencies; the others come from the registry.
   * @param others more packages, and options of `npm install`
   */
  async install(names: readonly string[], others: readonly string[] = []): Promise<void> {
    const tarballs = await tarballsOf(names, { withOptional: !others.includes('--omit=optional') });
    const ran = await this.run('npm', [
      'install',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      ...tarballs,
      ...others,
    ]);
    if (ran.code !== 0) throw new Error(`npm install ${names.join(' ')} failed:\n${ran.stdout}${ran.stderr}`);
  }

  /** Runs a program to its end, with the Node of this test and without the rest of its environment. */
  async run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
    const settings = { cwd: this.path, env: { ...environment(), ...env }, maxBuffer: 2 ** 26 };
    return promisify(execFile)(program, args, settings).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: Error & Partial<Ran>) => {
        if (typeof error.code !== 'number') throw error;
        return { code: error.code, stdout: error.stdout ?? '', stderr: error.stderr ?? '' };
      },
    );
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}

/** The settings with which this machine reaches the registry. */
const network = ['NODE_EXTRA_CA_CERTS', 'HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy', 'npm_config_registry'];

/** PATH begins with the Node that runs the tests. */
export function environment(): Readonly<Record<string, string>> {
  const { PATH = '', HOME = '' } = process.env;
  const given = network.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
  return { PATH: [dirname(process.execPath), PATH].join(delimiter), HOME, ...Object.fromEntries(given) };
}

/** Paths of the tarballs of packages, by name without the scope, and of all our packages that they depend on. */
export async function tarballsOf(names: readonly string[], { withOptional = true } = {}): Promise<string[]> {
  const found = new Map<string, string>();
  const add = async (name: string): Promise<void> => {
    if (found.has(name)) return;
    const { version, dependencies, optionalDependencies } = await stagedManifest(name);
    found.set(name, join(inject('tarballs'), `switchyard-${name}-${version}.tgz`));
    for (const other of Object.keys({ ...dependencies, ...(withOptional && optionalDependencies) })) {
      if (other.startsWith('@switchyard/')) await add(other.replace('@switchyard/', ''));
    }
  };
  for (const name of names) await add(name);
  return [...found.values()];
}

interface StagedManifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

async function stagedManifest(name: string): Promise<StagedManifest> {
  return JSON.parse(await readFile(join(inject('tarballs'), '../npm', name, 'package.json'), 'utf8'));
}
