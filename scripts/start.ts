// `npm start`: Redis, a gateway and a worker as child processes, in one terminal.

import { resolve } from 'node:path';
import { nextSteps, openDataFolder, readSettings, runOnPersistentRedis, runSession } from '@switchyard/cli/up';
import { readCommandLine } from '@switchyard/settings';
import { consoleBuild } from './console/start-build.ts';

const agents = ['pizza', 'device-assessment', 'echo'];
const guide = {
  command: 'npx switchyard',
  example: 'I want a pizza',
  addWorker: 'npm run worker -- --agents examples/hello/agent.ts',
};

// What gateway and worker compile is kept: half of their start is compiling.
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/switchyard');

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
  const { operators, pushSecret } = await openDataFolder(given, environment);
  await runOnPersistentRedis(session, {
    command: 'npm start',
    given,
    settings: {
      ...given,
      environment,
      agents: agents.map((name) => resolve(`examples/${name}/agent.ts`)),
      defaultAgent: given.defaultAgent ?? 'pizza',
      operators,
      env: { PUSH_SECRET_FILE: pushSecret },
    },
    greeting: (settings) => nextSteps(settings, guide),
    afterGreeting: consoleBuild(session, operators),
  });
});
