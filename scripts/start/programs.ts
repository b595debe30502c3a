import { type Guarded, spawnGuarded } from '../processes/guard.ts';

export interface ProgramSettings {
  readonly host: string;
  readonly port: number;
  readonly redisUrl: string;
  /** Names of examples, or paths of agent modules. */
  readonly agents: readonly string[];
  /** Id of the agent that is served at the root. Default: that of the first example. */
  readonly defaultAgent?: string;
  /** A program beside ours, such as an agent that runs elsewhere. */
  readonly beside?: string;
  /** Further settings of both programs. */
  readonly env?: Readonly<Record<string, string>>;
}

export function startGateway({ host, port, redisUrl, env, ...settings }: ProgramSettings): Promise<Guarded> {
  const { defaultAgent = settings.agents[0] ?? '' } = settings;
  return startProgram(['apps/gateway/src/main.ts'], {
    HOST: host,
    PORT: String(port),
    REDIS_URL: redisUrl,
    DEFAULT_AGENT: defaultAgent,
    ...env,
  });
}

export function startWorker({ redisUrl, agents, env }: ProgramSettings): Promise<Guarded> {
  const modules = agents.map((agent) => (agent.endsWith('.ts') ? agent : `examples/${agent}/agent.ts`));
  return startProgram(['apps/worker/src/main.ts', '--agents', ...modules], { REDIS_URL: redisUrl, ...env });
}

export function startBeside(program: string, { env }: ProgramSettings): Promise<Guarded> {
  return startProgram([program], { ...env });
}

/** Webhooks are tried out on one's own machine. */
const development = { PUSH_ALLOW_HTTP: 'true', PUSH_ALLOW_HOSTS: '127.0.0.0/8 ::1' };

/** What is set for the user's whole session (LOG_LEVEL, OPENAI_API_KEY, …) reaches the programs too. */
function startProgram(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Guarded> {
  return spawnGuarded(process.execPath, args, { env: { ...development, ...process.env, ...env } });
}
