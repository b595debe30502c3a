// `npm run example -- <name>`: an example's agents with everything that they need, in one terminal, on a Redis that forgets it all.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedRedis } from './processes/embedded-redis.ts';
import type { ProgramSettings } from './start/programs.ts';
import { runUntilStopped } from './start/run.ts';
import { readSettings } from './start/settings.ts';
import { listenToStopSignals } from './start/stop-signals.ts';
import { openTerminal } from './start/terminal.ts';

/** In an example's package.json, where it is more than one agent. Paths are from the example's folder. */
interface ExampleSettings {
  readonly defaultAgent?: string;
  readonly agents?: readonly string[];
  readonly beside?: string;
}

using signals = listenToStopSignals();
const terminal = openTerminal(process.stdout);
const folder = await mkdtemp(join(tmpdir(), 'switchyard-example-'));

try {
  const example = readExample(process.argv[2] ?? '');
  const { host, port, grpcPort } = await readSettings(process.env);
  const embedded = await openEmbeddedRedis({ folder });
  await runUntilStopped({
    settings: { host, port, redisUrl: embedded.url, env: { GRPC_PORT: grpcPort }, ...example },
    greeting: `\nThe example is ready on http://${host}:${port}: examples/${process.argv[2]}/README.md says what to try.`,
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
