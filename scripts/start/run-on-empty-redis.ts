import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedRedis } from '../processes/embedded-redis.ts';
import type { ProgramSettings } from './programs.ts';
import { requireRedisServer } from './require-redis.ts';
import { runUntilStopped } from './run.ts';
import type { Session } from './session.ts';

export interface EmptyRedisRun {
  /** Of the folder in which Redis has its files. */
  readonly name: string;
  readonly settings: Omit<ProgramSettings, 'redisUrl'>;
  /** Printed once everything runs. */
  readonly greeting: string;
}

/** Runs everything, until it is asked to stop, on a Redis that then forgets it all. */
export async function runOnEmptyRedis(session: Session, { name, settings, greeting }: EmptyRedisRun): Promise<void> {
  requireRedisServer();
  const folder = await mkdtemp(join(tmpdir(), `switchyard-${name}-`));
  try {
    const embedded = await openEmbeddedRedis({ folder });
    const run = { ...session, settings: { ...settings, redisUrl: embedded.url }, greeting, embedded };
    await runUntilStopped(run).finally(() => embedded.release());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
