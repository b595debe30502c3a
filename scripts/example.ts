// `npm run example -- <name>`: an example's agents with everything that they need, in one terminal, on a Redis that forgets it all.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { ProgramSettings } from './start/programs.ts';
import { runOnEmptyRedis } from './start/run-on-empty-redis.ts';
import { readSettings } from './start/settings.ts';

/** In an example's package.json, where it is more than one agent. Paths are from the example's folder. */
interface ExampleSettings {
  readonly defaultAgent?: string;
  readonly agents?: readonly string[];
  readonly beside?: string;
}

await runOnEmptyRedis('example', async () => {
  const example = readExample(process.argv[2] ?? '');
  const { host, port, grpcPort } = await readSettings(process.env);
  return {
    settings: { host, port, env: { GRPC_PORT: grpcPort }, ...example },
    greeting: `\nThe example is ready on http://${host}:${port}: examples/${process.argv[2]}/README.md says what to try.`,
  };
});

function readExample(name: string): Pick<ProgramSettings, 'agents' | 'defaultAgent' | 'beside'> {
  const home = `examples/${name}`;
  if (!name || !existsSync(`${home}/package.json`))
    throw new Error(`Name one of the examples: npm run example -- <name>, with ${readdirSync('examples').join(', ')}.`);
  const { switchyard = {} }: { switchyard?: ExampleSettings } = JSON.parse(
    readFileSync(`${home}/package.json`, 'utf8'),
  );
  const { agents = ['agent.ts'], defaultAgent = name, beside } = switchyard;
  return {
    agents: agents.map((module) => `${home}/${module}`),
    defaultAgent,
    ...(beside !== undefined && { beside: `${home}/${beside}` }),
  };
}
