import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedRedis } from '../processes/embedded-redis.ts';
import type { ProgramSettings } from './programs.ts';
import { runUntilStopped } from './run.ts';
import { listenToStopSignals } from './stop-signals.ts';
import { openTerminal } from './terminal.ts';

export interface Asked {
  readonly settings: Omit<ProgramSettings, 'redisUrl'>;
  /** Printed once everything runs. */
  readonly greeting: string;
}

/**
 * Runs everything on a Redis that forgets it all in the end, until it is asked to stop.
 * @param name of the folder in which that Redis has its files
 * @param read what to run; what it throws is said in words, like what goes wrong later, and the exit code is 1
 */
export async function runOnEmptyRedis(name: string, read: () => Asked | Promise<Asked>): Promise<void> {
  using signals = listenToStopSignals();
  const terminal = openTerminal(process.stdout);
  const folder = await mkdtemp(join(tmpdir(), `switchyard-${name}-`));
  try {
    const { settings, greeting } = await read();
    const embedded = await openEmbeddedRedis({ folder });
    await runUntilStopped({
      settings: { ...settings, redisUrl: embedded.url },
      greeting,
      embedded,
      terminal,
      signals,
    }).finally(() => embedded.release());
  } catch (error) {
    terminal.say('switchyard', error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
