import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { CommandFailure } from '../failures/failure.ts';
import { readOwnFile } from './file-owner.ts';

/** A file of settings, one `A2ACLI_…=value` per line. */
export interface SettingsFile {
  readonly path: string;
  readonly values: Readonly<Record<string, string | undefined>>;
  /** Other users of this machine can read it. */
  readonly isShared: boolean;
  /** It was found in this folder or above it: it may have come with a project, and not from the user. */
  readonly isOfFolder: boolean;
}

export interface FilePlaces {
  /** `--config` replaces the local file. */
  readonly config?: string | undefined;
  readonly folder: string;
  readonly home: string;
  /** Called with the reason why a file is not used. */
  readonly onRefused: (line: string) => void;
}

/** The existing files: the local one, then the global one. @throws {CommandFailure} if the given one cannot be read */
export async function readSettingsFiles(places: FilePlaces): Promise<readonly SettingsFile[]> {
  const { config, folder, home } = places;
  const local = config === undefined ? await nearest(folder, places) : await named(config);
  const global = await found(join(home, '.config/a2a-cli/.env'), places);
  return [local, global].filter((file) => file !== undefined);
}

/** The first `.env` of a folder and its parents. */
async function nearest(folder: string, places: FilePlaces): Promise<SettingsFile | undefined> {
  const above = dirname(folder);
  const file = await found(join(folder, '.env'), places);
  if (file) return { ...file, isOfFolder: true };
  return above === folder ? undefined : nearest(above, places);
}

async function named(path: string): Promise<SettingsFile> {
  const refuse = (reason: string): never => {
    throw new CommandFailure('A2ACLI_ERR_USAGE', `--config ${path}: ${reason}`);
  };
  const file = await read(path, refuse);
  return file ?? refuse(existsSync(path) ? 'it is no file' : 'there is no such file');
}

/** The file, unless it may not be used: then a warning says why. */
function found(path: string, { onRefused }: FilePlaces): Promise<SettingsFile | undefined> {
  return read(path, (reason) => onRefused(`warning: ${path} is not used: ${reason}`));
}

/** Undefined: there is no such file, or `onRefused` was told why it is not used. */
async function read(path: string, onRefused: (reason: string) => void): Promise<SettingsFile | undefined> {
  const file = await readOwnFile(path, { allowsLinks: true }).catch((error: unknown) => ({
    refusal: `it cannot be read: ${error instanceof Error ? error.message : String(error)}`,
  }));
  if (!file) return undefined;
  if ('refusal' in file) {
    onRefused(file.refusal);
    return undefined;
  }
  const text = file.text.replace(/^\uFEFF/, '');
  const wrong = unclosedQuote(text);
  if (wrong !== undefined) {
    onRefused(`line ${wrong}: the quote of its value is not closed`);
    return undefined;
  }
  return { path, values: parseEnv(text), isShared: (file.mode & 0o077) !== 0, isOfFolder: false };
}

/** The beginning of a line with a value in quotes, which may go on in further lines. */
const QUOTED = /^[ \t]*(?:export[ \t]+)?[\w.-]+[ \t]*=[ \t]*(["'`])/;

/**
 * The number of the first line whose quote is not closed: its value would have the quote, or, up to the quote of another
 * value, the lines below. Undefined: there is none.
 */
function unclosedQuote(text: string): number | undefined {
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const [start, quote] = QUOTED.exec(line) ?? [];
    if (start === undefined || quote === undefined) continue;
    const first = at;
    let rest = line.slice(start.length);
    while (!rest.includes(quote) && at + 1 < lines.length) rest = lines[++at] ?? '';
    const end = rest.indexOf(quote);
    const isOfOther = at > first && !/^\s*(?:#.*)?$/.test(rest.slice(end + 1));
    if (end < 0 || isOfOther) return first + 1;
  }
  return undefined;
}
