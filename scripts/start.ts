// `npm start`: Redis, a gateway and a worker as child processes, in one terminal.

import { join } from 'node:path';
import { readCommandLine } from '@switchyard/settings';
import { type EmbeddedRedis, openEmbeddedRedis } from './processes/embedded-redis.ts';
import { nextSteps } from './start/next-steps.ts';
import { openOperators } from './start/operators.ts';
import { requireRedisAt, requireRedisServer } from './start/require-redis.ts';
import { runUntilStopped } from './start/run.ts';
import { secretFile } from './start/secret-file.ts';
import { runSession } from './start/session.ts';
import { readSettings } from './start/settings.ts';

const agents = ['pizza', 'device-assessment', 'echo'];

await runSession(async (session) => {
  const { help } = readCommandLine(
    {
      usage: 'npm start',
      text: `Starts Redis, a gateway and a worker with the agents ${agents.join(', ')}. Ctrl-C stops them.`,
      options: {},
      settingsOf: ['start', 'gateway', 'worker', 'pizza'],
    },
    process.argv.slice(2),
  );
  if (help !== undefined) return session.terminal.print(help);
  const given = await readSettings(process.env);
  const operators = await openOperators(given);
  const pushSecret = process.env.PUSH_SECRET_FILE || (await secretFile(given.dataFolder, 'push-secret'));
  const env = { PUSH_SECRET_FILE: pushSecret };
  const run = (redisUrl: string, embedded?: EmbeddedRedis): Promise<void> => {
    const defaultAgent = given.defaultAgent ?? 'pizza';
    const settings = { ...given, redisUrl, agents, defaultAgent, operators, env };
    return runUntilStopped({ ...session, settings, greeting: nextSteps(settings, process.env), embedded });
  };
  if (given.redisUrl) {
    await requireRedisAt(given.redisUrl);
    return run(given.redisUrl);
  }
  requireRedisServer();
  const folder = join(given.dataFolder, 'redis');
  const embedded = await openEmbeddedRedis({ folder, ...(given.redisPort && { port: given.redisPort }) });
  await run(embedded.url, embedded).finally(() => embedded.release());
});
