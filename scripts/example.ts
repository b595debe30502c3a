// `npm run example -- <name>`: an example's agents with everything that they need, in one terminal, on a Redis that
// forgets it all.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readCommandLine } from '@switchyard/settings';
import { consoleLine } from './start/next-steps.ts';
import { openOperators } from './start/operators.ts';
import { runOnEmptyRedis } from './start/run-on-empty-redis.ts';
import { runSession } from './start/session.ts';
import { readSettings } from './start/settings.ts';

/** In an example's package.json, where it is more than one agent. Paths are from the example's folder. */
interface ExampleSettings {
  readonly defaultAgent?: string;
  readonly agents?: readonly string[];
  readonly beside?: string;
}

await runSession(async (session) => {
  const { help, words = [] } = readCommandLine(
    {
      usage: 'npm run example -- <name>',
      text: `Starts one of the examples: ${readdirSync('examples').join(', ')}.`,
      options: {},
      takesWords: true,
      settingsOf: ['start', 'gateway', 'worker'],
    },
    process.argv.slice(2),
  );
  if (help !== undefined) return session.terminal.print(help);
  const [name = ''] = words;
  const { agents, defaultAgent, beside } = readExample(name);
  const given = await readSettings(process.env);
  const operators = await openOperators(given);
  const settings = { ...given, agents, defaultAgent: given.defaultAgent ?? defaultAgent, operators };
  await runOnEmptyRedis(session, {
    name: 'example',
    settings: { ...settings, ...(beside && { beside }) },
    greeting: `\nThe example is ready on http://${given.host}:${given.port}: examples/${name}/README.md says what to try.\n${consoleLine(operators)}`,
  });
});

function readExample(name: string) {
  const home = `examples/${name}`;
  if (!name || !existsSync(`${home}/package.json`))
    throw new Error(`Name one of the examples: npm run example -- <name>, with ${readdirSync('examples').join(', ')}.`);
  const { switchyard = {} }: { switchyard?: ExampleSettings } = JSON.parse(
    readFileSync(`${home}/package.json`, 'utf8'),
  );
  const { agents = ['agent.ts'], defaultAgent = name, beside } = switchyard;
  return { agents: agents.map((module) => `${home}/${module}`), defaultAgent, beside: beside && `${home}/${beside}` };
}
