import { join } from 'node:path';
import { inputExample } from '@switchyard/protocol';
import { quoted, readCommandLine } from '@switchyard/settings';
import { programIn } from '../data-folder/data-folder.ts';
import { describeAgents } from './describe-agents.ts';
import { nextSteps } from './next-steps.ts';
import { runOnPersistentRedis } from './on-redis.ts';
import { openDataFolder } from './open-data-folder.ts';
import type { Session } from './session.ts';
import { readSettings } from './settings.ts';
import { countWorkers, maxWorkers } from './workers.ts';

const usage = 'switchyard up [<agent.ts> …] [--agent <URL> …] [--agents <file.yaml>] [--workers <number>] [--watch]';
const text = `Runs your agents in this terminal, with Redis, a gateway, workers and the console. Ctrl-C stops everything; tasks
continue at the next start. Data is kept in .switchyard (DATA_DIR).

  <agent.ts> …        modules that export one agent each; the first agent is served at the root URL.
                      Default: agent.ts in this folder, or those in agents/
  --agent <URL>       an agent that runs elsewhere, in any language, to put a queue in front of. Repeatable;
                      [<id>=]https://host/path sets its id
  --agents <file>     a YAML file with several such agents, their headers and limits
  --workers <number>  worker processes, 1 to ${maxWorkers}; default: 1
  --watch             reload agents when their files change`;

/** `switchyard up`, until it is asked to stop. @throws {Error} with a message for the user */
export async function up(session: Session, folder: string, args: readonly string[]): Promise<void> {
  const options = {
    agent: { type: 'string', multiple: true },
    agents: { type: 'string', multiple: true },
    workers: { type: 'string', default: '1' },
    watch: { type: 'boolean', default: false },
  } as const;
  const settingsOf = ['start', 'gateway', 'worker'] as const;
  const { help, values, positionals } = readCommandLine(
    { usage, text, options, allowPositionals: true, settingsOf },
    args,
  );
  if (help !== undefined) return session.terminal.print(help);
  const { agent: urls = [], agents: files = [] } = values;
  const agents = [...positionals, ...urls, ...files];
  const { environment } = session;
  const workers = countWorkers(values.workers);
  const given = await readSettings({ ...environment, DATA_DIR: environment.DATA_DIR || join(folder, '.switchyard') });
  const say = (line: string): void => session.terminal.say('worker', line);
  const [first] = await describeAgents(agents, { env: environment, say });
  const { operators, pushSecret } = await openDataFolder(given, environment);
  const command = programIn({ env: environment, folder });
  const guide = {
    command,
    example: first?.example ?? 'Hello',
    data: first?.inputSchema && inputExample(first.inputSchema),
    addWorker: [command, 'worker', ...agents.map(quoted)].join(' '),
  };
  await runOnPersistentRedis(session, {
    command: [command, 'up', ...args.map(quoted)].join(' '),
    given,
    settings: {
      ...given,
      environment,
      agents,
      workers,
      isWatched: values.watch,
      defaultAgent: given.defaultAgent ?? first?.id,
      operators,
      env: { PUSH_SECRET_FILE: pushSecret },
    },
    greeting: (settings) => nextSteps(settings, guide),
  });
}
