import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { Failure } from '../failures/failure.ts';

/** A file of settings, one `A2ACLI_…=value` per line. */
export interface SettingsFile {
  readonly path: string;
  readonly values: Readonly<Record<string, string | undefined>>;
  /** Other users of this machine can read it. */
  readonly isShared: boolean;
}

export interface FilePlaces {
  /** `--config` replaces the local file. */
  readonly config?: string | undefined;
  readonly folder: string;
  readonly home: string;
}

/** The existing files: the local one, then the global one. @throws {Failure} if the given one cannot be read */
export async function readSettingsFiles({ config, folder, home }: FilePlaces): Promise<readonly SettingsFile[]> {
  const local = config === undefined ? await nearest(folder) : await named(config);
  const global = await read(join(home, '.config/a2a-cli/.env'));
  return [local, global].filter((file) => file !== undefined);
}

/** The first `.env` of a folder and its parents. */
async function nearest(folder: string): Promise<SettingsFile | undefined> {
  const above = dirname(folder);
  return (await read(join(folder, '.env'))) ?? (above === folder ? undefined : nearest(above));
}

async function named(path: string): Promise<SettingsFile> {
  const file = await read(path);
  if (file) return file;
  throw new Failure('A2ACLI_ERR_USAGE', `--config ${path}: there is no such file`);
}

async function read(path: string): Promise<SettingsFile | undefined> {
  try {
    const [text, { mode }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
    return { path, values: parseEnv(text), isShared: (mode & 0o077) !== 0 };
  } catch (error) {
    if (isMissing(error)) return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure('A2ACLI_ERR_USAGE', `Cannot read the settings file: ${reason}`);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(String(error.code));
}
