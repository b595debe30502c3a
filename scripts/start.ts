// `npm start`: Redis, a gateway and a worker as child processes, in one terminal.

import { join } from 'node:path';
import { openEmbeddedRedis } from './processes/embedded-redis.ts';
import { nextSteps } from './start/next-steps.ts';
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
    const address = { ...settings, redisUrl: redisUrl ?? embedded?.url ?? '' };
    await runUntilStopped({
      settings: {
        ...address,
        agents: ['pizza', 'device-assessment', 'echo'],
        env: { GRPC_PORT: settings.grpcPort },
      },
      greeting: nextSteps(address),
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
