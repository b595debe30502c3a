import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedRedis } from '@switchyard/local';
import type { ProgramSettings } from './programs.ts';
import { type Run, runUntilStopped } from './run.ts';
import type { Session } from './session.ts';

export interface EmptyRedisRun extends Pick<Run, 'greeting' | 'afterGreeting'> {
  /** The server's path; undefined: it runs in a container. */
  readonly redis: string | undefined;
  /** Of the folder in which Redis has its files. */
  readonly name: string;
  readonly settings: Omit<ProgramSettings, 'redisUrl'>;
}

/** Runs everything, until it is asked to stop, on a Redis that then forgets it all. */
export async function runOnEmptyRedis(session: Session, given: EmptyRedisRun): Promise<void> {
  const { redis: program, name, settings, ...rest } = given;
  const folder = await mkdtemp(join(tmpdir(), `switchyard-${name}-`));
  try {
    const embedded = await openEmbeddedRedis({ folder, program });
    const run = { ...session, settings: { ...settings, redisUrl: embedded.url }, ...rest, embedded };
    await runUntilStopped(run).finally(() => embedded.release());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
