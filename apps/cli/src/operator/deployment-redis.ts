import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Environment, Settings, SettingsError, storeSettings } from '@switchyard/settings';
import { z } from 'zod';
import { dataFolderOf } from '../data-folder/data-folder.ts';
import { parsed } from '../data-folder/user-folder.ts';
import { CommandFailure } from '../failures/failure.ts';
import type { Invocation } from '../session/session.ts';

export type DeploymentRedis = ReturnType<typeof storeSettings>;

/**
 * The deployment's Redis: that of REDIS_URL, the running one of this folder, or of the file of several deployments that
 * of DEPLOYMENT. @throws {CommandFailure}
 */
export async function deploymentRedis(invocation: Invocation): Promise<DeploymentRedis> {
  const [first, ...others] = await deploymentsRedis(invocation);
  const { DEPLOYMENT: number = '0', DEPLOYMENTS_FILE: file } = invocation.env;
  const found = [first, ...others].find((each) => String(each.deployment) === number);
  if (!file) return first;
  if (found) return found;
  throw new CommandFailure('A2ACLI_ERR_USAGE', `${file} has no deployment ${number}`, {
    hint: 'Set DEPLOYMENT to one that it has.',
  });
}

/** Those of all deployments in the file of DEPLOYMENTS_FILE, or that of the only one. @throws {CommandFailure} */
export async function deploymentsRedis(invocation: Invocation): Promise<[DeploymentRedis, ...DeploymentRedis[]]> {
  const { env } = invocation;
  const { DEPLOYMENTS_FILE: file } = env;
  if (!file) return [await oneRedis(invocation)];
  // Of the gateway: other commands do not load it.
  const { placeOf, readDeployments } = await import('@switchyard/gateway/deployments-file');
  const shared = settingsIn({ ...env, REDIS_URL: 'redis://unused' });
  try {
    const [first, ...others] = readDeployments(file).map((each) => ({ ...shared, ...placeOf(each) }));
    if (!first) throw new Error('it has no deployment');
    return [first, ...others];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandFailure('A2ACLI_ERR_USAGE', `DEPLOYMENTS_FILE: ${why}`, { cause: error });
  }
}

async function oneRedis(invocation: Invocation): Promise<DeploymentRedis> {
  const { env } = invocation;
  const url = env.REDIS_URL || (await embeddedRedisUrl(dataFolderOf(invocation)));
  if (url === undefined)
    throw new CommandFailure('A2ACLI_ERR_USAGE', 'No Redis is given', {
      hint: 'Set REDIS_URL, or run this in the folder where switchyard up or npm start runs.',
    });
  return settingsIn({ ...env, REDIS_URL: url });
}

/** @throws {CommandFailure} */
function settingsIn(env: Environment): DeploymentRedis {
  try {
    const given = new Settings('gateway', env);
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
