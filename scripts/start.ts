// `npm start`: Redis, a gateway and a worker as child processes, in one terminal.

import { join } from 'node:path';
import { openEmbeddedRedis } from './processes/embedded-redis.ts';
import { runUntilStopped } from './start/run.ts';
import { readSettings } from './start/settings.ts';
import { listenToStopSignals } from './start/stop-signals.ts';
import { openTerminal } from './start/terminal.ts';

using signals = listenToStopSignals();
const terminal = openTerminal(process.stdout);

try {
  const settings = await readSettings(process.env);
  const { redisUrl, redisPort: port, dataFolder } = settings;
  const embedded = redisUrl
    ? undefined
    : await openEmbeddedRedis({ folder: join(dataFolder, 'redis'), ...(port ? { port } : {}) });
  try {
    await runUntilStopped({
      settings: { ...settings, redisUrl: redisUrl ?? embedded?.url ?? '' },
      embedded,
      terminal,
      signals,
    });
  } finally {
    await embedded?.release();
  }
} catch (error) {
  terminal.say('switchyard', error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
