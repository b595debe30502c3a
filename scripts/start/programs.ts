import { type Guarded, spawnGuarded } from '../processes/guard.ts';

const agentModules = ['pizza', 'device-assessment', 'echo'].map((name) => `examples/${name}/agent.ts`);

export interface ProgramSettings {
  readonly host: string;
  readonly port: number;
  readonly redisUrl: string;
}

export function startGateway({ host, port, redisUrl }: ProgramSettings): Promise<Guarded> {
  const env = { HOST: host, PORT: String(port), REDIS_URL: redisUrl, DEFAULT_AGENT: 'pizza' };
  return startProgram(['apps/gateway/src/main.ts'], env);
}

export function startWorker({ redisUrl }: ProgramSettings): Promise<Guarded> {
  return startProgram(['apps/worker/src/main.ts', '--agents', ...agentModules], { REDIS_URL: redisUrl });
}

/** What is set for the user's whole session (LOG_LEVEL, OPENAI_API_KEY, …) reaches the programs too. */
function startProgram(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Guarded> {
  return spawnGuarded(process.execPath, args, { env: { ...process.env, ...env } });
}
