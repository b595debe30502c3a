// `npm start`: Redis, a gateway and a worker as child processes, in one terminal.

import { join } from 'node:path';
import {
  nextSteps,
  openOperators,
  readSettings,
  requireRedisAt,
  runSession,
  runUntilStopped,
  secretFile,
} from '@switchyard/cli/up';
import { type EmbeddedRedis, openEmbeddedRedis } from '@switchyard/local';
import { readCommandLine } from '@switchyard/settings';
import { consoleBuild } from './console/start-build.ts';
import { requireRedisServer } from './require-redis-server.ts';

const agents = ['pizza', 'device-assessment', 'echo'];

await runSession(process, async (session) => {
  const { terminal, environment } = session;
  const { help } = readCommandLine(
    {
      usage: 'npm start',
      text: `Starts Redis, a gateway and a worker with the agents ${agents.join(', ')}. Ctrl-C stops them.`,
      options: {},
      settingsOf: ['start', 'gateway', 'worker', 'pizza'],
    },
    process.argv.slice(2),
  );
  if (help !== undefined) return terminal.print(help);
  const given = await readSettings(environment);
  const operators = await openOperators(given);
  const pushSecret = environment.PUSH_SECRET_FILE || (await secretFile(given.dataFolder, 'push-secret'));
  const run = (redisUrl: string, embedded?: EmbeddedRedis): Promise<void> => {
    const settings = {
      ...given,
      redisUrl,
      environment,
      agents: agents.map((name) => `examples/${name}/agent.ts`),
      defaultAgent: given.defaultAgent ?? 'pizza',
      operators,
      env: { PUSH_SECRET_FILE: pushSecret },
    };
    const afterGreeting = consoleBuild(session, operators);
    return runUntilStopped({ ...session, settings, greeting: nextSteps(settings), afterGreeting, embedded });
  };
  if (given.redisUrl) {
    await requireRedisAt(given.redisUrl);
    return run(given.redisUrl);
  }
  const program = requireRedisServer();
  const folder = join(given.dataFolder, 'redis');
  const embedded = await openEmbeddedRedis({ folder, program, ...(given.redisPort && { port: given.redisPort }) });
  await run(embedded.url, embedded).finally(() => embedded.release());
});
