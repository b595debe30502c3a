import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Settings, SettingsError, storeSettings } from '@switchyard/settings';
import { z } from 'zod';
import { dataFolderOf } from '../data-folder/data-folder.ts';
import { parsed } from '../data-folder/user-folder.ts';
import { CommandFailure } from '../failures/failure.ts';
import type { Invocation } from '../session/session.ts';

/** URL of the deployment's Redis: REDIS_URL, or the running Redis of this folder. @throws {CommandFailure} */
export async function deploymentRedis(invocation: Invocation): Promise<ReturnType<typeof storeSettings>> {
  const { env } = invocation;
  const url = env.REDIS_URL || (await embeddedRedisUrl(dataFolderOf(invocation)));
  if (url === undefined)
    throw new CommandFailure('A2ACLI_ERR_USAGE', 'No Redis is given', {
      hint: 'Set REDIS_URL, or run this in the folder where switchyard up or npm start runs.',
    });
  try {
    const given = new Settings('gateway', { ...env, REDIS_URL: url });
    const settings = storeSettings(given);
    given.requireValid();
    return settings;
  } catch (error) {
    throw error instanceof SettingsError
      ? new CommandFailure('A2ACLI_ERR_USAGE', error.message, { cause: error })
      : error;
  }
}

const ownerSchema = z.object({ port: z.number() });

/** The owner of the Redis writes its process id and port beside the files. */
export async function embeddedRedisUrl(dataFolder: string): Promise<string | undefined> {
  const text = await readFile(join(dataFolder, 'redis/owner.json'), 'utf8').catch(() => undefined);
  const owner = text === undefined ? undefined : parsed(ownerSchema, text);
  return owner && `redis://127.0.0.1:${owner.port}`;
}
