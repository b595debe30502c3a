import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedRedis, openEmbeddedRedis, requireRedis } from '@switchyard/local';
import { inDataFolder } from './open-data-folder.ts';
import type { ProgramSettings } from './programs.ts';
import { requireRedisAt } from './redis-at.ts';
import { runUntilStopped, type StoppableRun } from './run.ts';
import type { Session } from './session.ts';
import type { StartSettings } from './settings.ts';

export interface PersistentRedisRun extends Pick<StoppableRun, 'command' | 'afterGreeting'> {
  readonly given: StartSettings;
  readonly settings: Omit<ProgramSettings, 'redisUrl'>;
  readonly greeting: (settings: ProgramSettings) => string;
}

/**
 * Runs everything until it is asked to stop, with the user's Redis, or with one that keeps its files in the data
 * folder.
 */
export async function runOnPersistentRedis(session: Session, { given, ...rest }: PersistentRedisRun): Promise<void> {
  const { redisUrl, dataFolder, redisPort: port } = given;
  const run = (url: string, embedded?: EmbeddedRedis): Promise<void> => {
    const settings = { ...rest.settings, redisUrl: url };
    return runUntilStopped({ ...session, ...rest, settings, greeting: rest.greeting(settings), embedded });
  };
  if (redisUrl) {
    await requireRedisAt(redisUrl, rest.command);
    return run(redisUrl);
  }
  const program = await redisOf(session);
  const folder = join(dataFolder, 'redis');
  const embedded = await inDataFolder(dataFolder, () => openEmbeddedRedis({ folder, program, ...(port && { port }) }));
  await run(embedded.url, embedded).finally(() => embedded.release());
}

export interface EmptyRedisRun extends Pick<StoppableRun, 'command' | 'greeting' | 'afterGreeting'> {
  /** In the data folder. */
  readonly name: string;
  readonly settings: Omit<ProgramSettings, 'redisUrl'>;
}

/** Runs everything until it is asked to stop, with a Redis that stores nothing. */
export async function runOnEmptyRedis(session: Session, { name, ...rest }: EmptyRedisRun): Promise<void> {
  const program = await redisOf(session);
  const folder = await mkdtemp(join(tmpdir(), `switchyard-${name}-`));
  try {
    const embedded = await openEmbeddedRedis({ folder, program });
    // The files of a Redis that forgets its tasks: in the data folder, the next run would find those of another Redis.
    const filesFolder = join(folder, 'files');
    const settings = { ...rest.settings, redisUrl: embedded.url, filesFolder };
    await runUntilStopped({ ...session, ...rest, settings, embedded }).finally(() => embedded.release());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Its path; undefined: it runs in a container. */
function redisOf({ environment, terminal }: Session): Promise<string | undefined> {
  return requireRedis({ environment, say: (line) => terminal.say('switchyard', line) });
}
