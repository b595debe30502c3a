import { existsSync, statSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { quoted } from '@switchyard/settings/terminal';
import { z } from 'zod';
import { readOwnFile } from '../settings/file-owner.ts';
import { isOfThisMachine } from '../settings/this-machine.ts';
import { parsed, writePrivate } from './user-folder.ts';

// Files that `switchyard up` and `npm start` keep beside those of their Redis, for other commands.

export interface FolderPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working directory. */
  readonly folder: string;
}

/** Default of `switchyard up`, and of `npm start` in a checkout of the repository. */
const defaultFolders = ['.switchyard', '.data'];

/**
 * DATA_DIR, otherwise an existing default folder, preferably one with a running deployment: of this folder, or of the
 * nearest folder above it that has one.
 */
export function dataFolderOf({ env, folder }: FolderPlace): string {
  if (env.DATA_DIR) return resolve(folder, env.DATA_DIR);
  for (let each = folder; ; each = dirname(each)) {
    const found = defaultFolderIn(each, each === folder);
    if (found !== undefined) return found;
    if (each === dirname(each)) return join(folder, '.switchyard');
  }
}

function defaultFolderIn(folder: string, isOwn: boolean): string | undefined {
  // Above this folder, another user of the machine could have placed it: that of /tmp, for example.
  const folders = defaultFolders.map((name) => join(folder, name)).filter((each) => isOwn || isMine(each));
  const isIn = (file: string) => (each: string) => existsSync(join(each, file));
  return folders.find(isIn(addressFile)) ?? folders.find(isIn(''));
}

function isMine(folder: string): boolean {
  const owner = statSync(folder, { throwIfNoEntry: false })?.uid;
  return owner !== undefined && owner === process.getuid?.();
}

/** How `switchyard` is called in a folder: as a dependency, with npx, or installed globally. */
export function programIn({ env, folder }: FolderPlace): string {
  if (existsSync(join(folder, 'node_modules/.bin/switchyard'))) return 'npx switchyard';
  return env.npm_command === 'exec' ? 'npx @switchyard/cli' : 'switchyard';
}

/** The same for commands that find the deployment, or its keys, by its data folder: with DATA_DIR if that names it. */
export function programWithFolder({ env, folder }: FolderPlace): string {
  const program = programIn({ env, folder });
  return env.DATA_DIR ? `DATA_DIR=${quoted(env.DATA_DIR)} ${program}` : program;
}

const ofThisMachine = z.url().refine(isOfThisMachine, 'is no address of this machine');
const addressesSchema = z.object({ gateway: ofThisMachine, operators: ofThisMachine.optional() });

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
  const { addresses: before } = await readAddresses(dataFolder);
  await writePrivate(file, text);
  return async () => {
    if ((await readFile(file, 'utf8').catch(() => undefined)) !== text) return;
    if (before && (await isRunning(before))) await writePrivate(file, `${JSON.stringify(before)}\n`);
    else await rm(file, { force: true });
  };
}

async function isRunning({ gateway }: Addresses): Promise<boolean> {
  return fetch(gateway, { method: 'HEAD', signal: AbortSignal.timeout(1_000) }).then(
    () => true,
    () => false,
  );
}

/** Without addresses nothing is running, or `problem` says why the file is not used. */
export interface ReadAddresses {
  readonly addresses?: Addresses;
  readonly problem?: string;
}

/**
 * Requests to these addresses carry the keys of clients and operators. So only a file that `switchyard up` wrote on
 * this machine is used: it is private, no link, and names no other machine. One that came with a project is not.
 */
export async function readAddresses(dataFolder: string): Promise<ReadAddresses> {
  const path = join(dataFolder, addressFile);
  const file = await readOwnFile(path, { isPrivate: true }).catch((error: unknown) => ({
    refusal: error instanceof Error ? error.message : String(error),
  }));
  if (!file) return {};
  if ('refusal' in file) return { problem: `${path} is not used: ${file.refusal}` };
  const addresses = parsed(addressesSchema, file.text);
  return addresses ? { addresses } : { problem: `${path} is not used: it has no addresses of this machine` };
}
