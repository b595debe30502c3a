import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';

// Files that `switchyard up` and `npm start` keep beside those of their Redis, for other commands.

export interface FolderPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working directory. */
  readonly folder: string;
}

/** Default of `switchyard up`, and of `npm start` in a checkout of the repository. */
const defaultFolders = ['.switchyard', '.data'];

/** DATA_DIR, otherwise an existing default folder, preferably one with a running deployment. */
export function dataFolderOf({ env, folder }: FolderPlace): string {
  if (env.DATA_DIR) return resolve(folder, env.DATA_DIR);
  const folders = defaultFolders.map((name) => join(folder, name));
  const isIn = (file: string) => (each: string) => existsSync(join(each, file));
  return folders.find(isIn(addressFile)) ?? folders.find(isIn('')) ?? join(folder, '.switchyard');
}

/** How `switchyard` is called in a folder: as a dependency, with npx, or installed globally. */
export function programIn({ env, folder }: FolderPlace): string {
  if (existsSync(join(folder, 'node_modules/.bin/switchyard'))) return 'npx switchyard';
  return env.npm_command === 'exec' ? 'npx @switchyard/cli' : 'switchyard';
}

const addressesSchema = z.object({ gateway: z.string(), operators: z.string().optional() });

/** URL of the running gateway on this machine. */
export type Addresses = z.infer<typeof addressesSchema>;

const addressFile = 'addresses.json';

/**
 * @returns removes the file, unless another program has written its own meanwhile. If a deployment that was there
 * before still runs, its addresses are written again: an example may run beside `npm start`.
 */
export async function writeAddresses(dataFolder: string, addresses: Addresses): Promise<() => Promise<void>> {
  const file = join(dataFolder, addressFile);
  const text = `${JSON.stringify(addresses)}\n`;
  await mkdir(dataFolder, { recursive: true });
  const before = await readAddresses(dataFolder).catch(() => undefined);
  await writeFile(file, text);
  return async () => {
    if ((await readText(file)) !== text) return;
    if (before && (await isRunning(before))) await writeFile(file, `${JSON.stringify(before)}\n`);
    else await rm(file, { force: true });
  };
}

async function isRunning({ gateway }: Addresses): Promise<boolean> {
  return fetch(gateway, { method: 'HEAD', signal: AbortSignal.timeout(1_000) }).then(
    () => true,
    () => false,
  );
}

/** Undefined: nothing is running. */
export async function readAddresses(dataFolder: string): Promise<Addresses | undefined> {
  const text = await readText(join(dataFolder, addressFile));
  return text === undefined ? undefined : addressesSchema.parse(JSON.parse(text));
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR'].includes(String(error.code))) return;
    throw error;
  }
}
