import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isPortTaken } from '@switchyard/local';
import type { Environment } from '@switchyard/settings';
import { dataFolderOf, type FolderPlace } from '../data-folder/data-folder.ts';
import { onThisMachine } from '../up/programs.ts';
import { embeddedRedisUrl } from './deployment-redis.ts';

/**
 * The settings with which another gateway or worker joins what `switchyard up` runs in this folder. The user's own go
 * first. Undefined: nothing runs here, or the user has chosen a Redis.
 */
export async function deploymentEnvironment(place: FolderPlace): Promise<Environment | undefined> {
  if (place.env.REDIS_URL) return undefined;
  const dataFolder = dataFolderOf(place);
  const redisUrl = await embeddedRedisUrl(dataFolder);
  // Its process may have been killed.
  if (redisUrl === undefined || !(await isPortTaken(Number(new URL(redisUrl).port), '127.0.0.1'))) return undefined;
  const secret = join(dataFolder, 'push-secret');
  return { ...onThisMachine, ...(existsSync(secret) && { PUSH_SECRET_FILE: secret }), REDIS_URL: redisUrl };
}
