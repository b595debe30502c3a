import { type Guarded, spawnGuarded } from '../processes/guard.ts';

export interface ProgramSettings {
  readonly host: string;
  readonly port: number;
  readonly redisUrl: string;
  /** Names of examples. The first is served at the root. */
  readonly agents: readonly string[];
  /** Further settings of both programs. */
  readonly env?: Readonly<Record<string, string>>;
}

export function startGateway({ host, port, redisUrl, agents, env }: ProgramSettings): Promise<Guarded> {
  const [defaultAgent = ''] = agents;
  return startProgram(['apps/gateway/src/main.ts'], {
    HOST: host,
    PORT: String(port),
    REDIS_URL: redisUrl,
    DEFAULT_AGENT: defaultAgent,
    ...env,
  });
}

export function startWorker({ redisUrl, agents, env }: ProgramSettings): Promise<Guarded> {
  const modules = agents.map((name) => `examples/${name}/agent.ts`);
  return startProgram(['apps/worker/src/main.ts', '--agents', ...modules], { REDIS_URL: redisUrl, ...env });
}

/** Webhooks are tried out on one's own machine. */
const development = { PUSH_ALLOW_HTTP: 'true', PUSH_ALLOW_HOSTS: '127.0.0.0/8 ::1' };

/** What is set for the user's whole session (LOG_LEVEL, OPENAI_API_KEY, …) reaches the programs too. */
function startProgram(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Guarded> {
  return spawnGuarded(process.execPath, args, { env: { ...development, ...process.env, ...env } });
}
