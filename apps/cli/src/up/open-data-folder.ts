import { existsSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '@switchyard/settings';
import { type Operators, openOperators } from './operators.ts';
import { secretFile } from './secret-file.ts';
import type { StartSettings } from './settings.ts';

/** What is kept in the data folder for gateway and workers. */
export interface DataFolder {
  readonly operators: Operators;
  /** Path of the file. */
  readonly pushSecret: string;
}

/** Makes the data folder and its secrets, if they are not there. @throws {Error} with a message for the user */
export function openDataFolder(given: StartSettings, environment: Environment): Promise<DataFolder> {
  const { dataFolder } = given;
  return inDataFolder(dataFolder, async () => {
    if (!existsSync(dataFolder)) {
      await mkdir(dataFolder, { recursive: true });
      // It has keys.
      await writeFile(join(dataFolder, '.gitignore'), '*\n');
    }
    const operators = await openOperators(given);
    const pushSecret = environment.PUSH_SECRET_FILE || (await secretFile(dataFolder, 'push-secret'));
    return { operators, pushSecret };
  });
}

/** Runs what reads and writes files of the data folder. An error of the system then says what its user can do. */
export async function inDataFolder<T>(folder: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error;
    throw new Error(`The data folder ${folder} cannot be used: ${problem(folder, error)}.`, { cause: error });
  }
}

function problem(folder: string, { message, code }: Error & { readonly code: unknown }): string {
  if (code === 'ENOSPC') return `${message}. Make room on its disk, or set DATA_DIR to a folder on another one`;
  const isFile = statSync(folder, { throwIfNoEntry: false })?.isFile() === true;
  return `${isFile ? 'it is a file' : message}. Set DATA_DIR to a folder that you may write to`;
}
