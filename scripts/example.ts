// `npm run example -- <name>`: an example's agents with everything that they need, in one terminal, on a Redis that
// forgets it all.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { consoleLine, openOperators, readSettings, runOnEmptyRedis, runSession, urlOf } from '@switchyard/cli/up';
import { readCommandLine } from '@switchyard/settings';
import { consoleBuild } from './console/start-build.ts';

/** In an example's package.json, where it is more than one agent. Paths are from the example's folder. */
interface ExampleSettings {
  readonly defaultAgent?: string;
  readonly agents?: readonly string[];
  readonly companion?: string;
}

await runSession(process, async (session) => {
  const { terminal, environment } = session;
  const { help, positionals = [] } = readCommandLine(
    {
      usage: 'npm run example -- <name>',
      text: `Starts one of the examples: ${readdirSync('examples').join(', ')}.`,
      options: {},
      allowPositionals: true,
      settingsOf: ['start', 'gateway', 'worker'],
    },
    process.argv.slice(2),
  );
  if (help !== undefined) return terminal.print(help);
  const [name = ''] = positionals;
  const { agents, defaultAgent, companion } = readExample(name);
  const given = await readSettings(environment);
  const operators = await openOperators(given);
  const settings = { ...given, environment, agents, defaultAgent: given.defaultAgent ?? defaultAgent, operators };
  await runOnEmptyRedis(session, {
    command: `npm run example -- ${name}`,
    name: 'example',
    settings: { ...settings, ...(companion && { companion }) },
    greeting: `\nThe example is ready on ${urlOf(given)}: examples/${name}/README.md says what to try.\n${consoleLine(operators)}`,
    afterGreeting: consoleBuild(session, operators),
  });
});

function readExample(name: string) {
  const home = `examples/${name}`;
  if (!name || !existsSync(`${home}/package.json`))
    throw new Error(`Name one of the examples: npm run example -- <name>, with ${readdirSync('examples').join(', ')}.`);
  const { switchyard = {} }: { switchyard?: ExampleSettings } = JSON.parse(
    readFileSync(`${home}/package.json`, 'utf8'),
  );
  const { agents = ['agent.ts'], defaultAgent = name, companion } = switchyard;
  return {
    agents: agents.map((module) => resolve(home, module)),
    defaultAgent,
    companion: companion && `${home}/${companion}`,
  };
}
