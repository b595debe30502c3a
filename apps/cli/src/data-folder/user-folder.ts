import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { z } from 'zod';
import { readOwnFile } from '../settings/file-owner.ts';

export interface UserPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** Where this command keeps what belongs to the user (XDG Base Directory Specification). */
export function userFolderOf({ env, home }: UserPlace): string {
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), 'switchyard');
}

/** A JSON file that only its owner can read. */
export class UserFile<T> {
  readonly path: string;
  readonly #schema: z.ZodType<T>;

  constructor(path: string, schema: z.ZodType<T>) {
    this.path = path;
    this.#schema = schema;
  }

  /** @returns undefined: there is no such file, it is not whole, or another user could have written it */
  async read(onRefused: (reason: string) => void = () => undefined): Promise<T | undefined> {
    const file = await readOwnFile(this.path, { isPrivate: true });
    if (!file) return undefined;
    const value = 'text' in file ? parsed(this.#schema, file.text) : undefined;
    if (value === undefined) onRefused('refusal' in file ? file.refusal : 'it is not whole');
    return value;
  }

  async write(value: T): Promise<void> {
    await this.makeFolder();
    await writePrivate(this.path, `${JSON.stringify(value, undefined, 2)}\n`);
  }

  /** Nobody else can list it, or put a file into it. */
  async makeFolder(): Promise<void> {
    const folder = dirname(this.path);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  }
}

/** The rename is atomic: a reader gets the old text or the new one, never a part. */
export async function writePrivate(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
}

/** Undefined: the text is not such JSON, for example because its writer crashed. */
export function parsed<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
