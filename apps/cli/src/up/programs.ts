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
  /** Modules of agents, as the worker takes them; none: those of the folder. */
  readonly agents: readonly string[];
  /** Processes that run them. Default: 1. */
  readonly workers?: number;
  /** They are loaded again when their files change. */
  readonly isWatched?: boolean;
  /** Id of the agent that is served at the root; undefined: the first by name. */
  readonly defaultAgent: string | undefined;
  /** A further program, such as a remote agent. */
  readonly beside?: string;
  /** Unset: there is no port for them. */
  readonly operators?: Operators;
  /** Where other commands look for what runs; unset: they do not. */
  readonly dataFolder?: string;
  /** Of this process: the user's own settings. */
  readonly environment: Environment;
  /** Further settings of both programs. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Listened at, but not called: a gateway there is reached through loopback too. */
const anyAddress = ['0.0.0.0', '::'];

/** Beside this package, wherever that is installed. */
export function gatewayProgram(): string {
  return fileURLToPath(import.meta.resolve('@switchyard/gateway/main'));
}

/** As above. */
export function workerProgram(): string {
  return fileURLToPath(import.meta.resolve('@switchyard/worker/main'));
}

/** Where the gateway is called on this machine. */
export function urlOf({ host, port }: Pick<ProgramSettings, 'host' | 'port'>): string {
  return `http://${anyAddress.includes(host) ? '127.0.0.1' : host}:${port}`;
}

/** Webhooks, and agents that are called by URL, are tried out on one's own machine, in one terminal. */
const development = {
  PUSH_ALLOW_HTTP: 'true',
  PUSH_ALLOW_HOSTS: '127.0.0.0/8 ::1',
  AGENT_ALLOW_HTTP: 'true',
  AGENT_ALLOW_HOSTS: '127.0.0.0/8 ::1',
  // No line for each turn between what people read.
  LOG_LEVEL: 'warn',
  AGENT_LOG_LEVEL: 'info',
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
  const root = defaultAgent === undefined ? {} : { DEFAULT_AGENT: defaultAgent };
  const env = { HOST: host, PORT: String(port), GRPC_PORT: grpcPort, ...root, ...operators?.env };
  return startProgram([gatewayProgram()], settings, env);
}

export function startWorker(settings: ProgramSettings): Promise<Guarded> {
  const { isWatched, agents } = settings;
  return startProgram([workerProgram(), ...(isWatched ? ['--watch'] : []), ...agents], settings);
}

export function startBeside(program: string, settings: ProgramSettings): Promise<Guarded> {
  return startProgram([program], settings);
}

function startProgram(args: readonly string[], settings: ProgramSettings, env: Environment = {}): Promise<Guarded> {
  return spawnGuarded(process.execPath, args, { env: { ...programEnvironment(settings), ...env } });
}
