import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Guarded, spawnGuarded } from '@switchyard/local';
import type { Environment } from '@switchyard/settings';
import type { Operators } from './operators.ts';

export interface ProgramSettings {
  readonly host: string;
  readonly port: number;
  /** As the gateway takes it: `off`, or a port; 0 is any free one. */
  readonly grpcPort: string;
  readonly redisUrl: string;
  /** Paths of agent modules. */
  readonly agents: readonly string[];
  /** Id of the agent that is served at the root. */
  readonly defaultAgent: string;
  /** A further program, such as a remote agent. */
  readonly beside?: string;
  /** Unset: there is no port for them. */
  readonly operators?: Operators;
  /** Of this process: the user's own settings. */
  readonly environment: Environment;
  /** Further settings of both programs. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Webhooks, and agents that are called by URL, are tried out on one's own machine, in one terminal. */
const development = {
  PUSH_ALLOW_HTTP: 'true',
  PUSH_ALLOW_HOSTS: '127.0.0.0/8 ::1',
  AGENT_ALLOW_HTTP: 'true',
  AGENT_ALLOW_HOSTS: '127.0.0.0/8 ::1',
  // No line for each turn between what people read.
  LOG_LEVEL: 'warn',
};

/** What gateway and worker have in common. The user's own settings (LOG_LEVEL, OPENAI_API_KEY, …) reach them, too. */
export function programEnvironment({ environment, redisUrl, env }: ProgramSettings): Environment {
  return { ...development, ...withoutEmpty(environment), REDIS_URL: redisUrl, ...env };
}

/** An empty variable counts as unset: it must not hide a default. */
function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, text]) => text !== ''));
}

export function startGateway(settings: ProgramSettings): Promise<Guarded> {
  const { host, port, grpcPort, defaultAgent, operators } = settings;
  const own = { HOST: host, PORT: String(port), GRPC_PORT: grpcPort, DEFAULT_AGENT: defaultAgent };
  const env = { ...own, ...operators?.env };
  return startProgram([fileURLToPath(import.meta.resolve('@switchyard/gateway/main'))], settings, env);
}

export function startWorker(settings: ProgramSettings): Promise<Guarded> {
  const program = fileURLToPath(import.meta.resolve('@switchyard/worker/main'));
  // Whole paths: the worker would look for others in the folder where npm was called.
  return startProgram([program, '--agents', ...settings.agents.map((module) => resolve(module))], settings);
}

export function startBeside(program: string, settings: ProgramSettings): Promise<Guarded> {
  return startProgram([program], settings);
}

function startProgram(args: readonly string[], settings: ProgramSettings, env: Environment = {}): Promise<Guarded> {
  return spawnGuarded(process.execPath, args, { env: { ...programEnvironment(settings), ...env } });
}
