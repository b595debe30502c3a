import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type GuardedProcess, spawnGuarded } from '@switchyard/local';
import type { Environment } from '@switchyard/settings';
import type { Operators } from './operators.ts';
import { urlOf } from './settings.ts';
import type { Killed } from './supervise.ts';

export interface ProgramSettings {
  readonly host: string;
  readonly port: number;
  /** As the gateway takes it: `off`, or a port; 0 is any free one. */
  readonly grpcPort: string;
  readonly redisUrl: string;
  /** Modules of agents, as worker arguments; none: those of the folder. */
  readonly agents: readonly string[];
  /** Number of worker processes. Default: 1. */
  readonly workers?: number;
  /** How long a stopping worker waits for its turns. Default: 2,000. */
  readonly drainMs?: number;
  /** Reloads the modules when their files change. */
  readonly isWatched?: boolean;
  /** Id of the default agent; undefined: the first by name. */
  readonly defaultAgent: string | undefined;
  /** A further program, such as a remote agent. */
  readonly companion?: string;
  /** Unset: no operators' port. */
  readonly operators?: Operators;
  /** Where other commands find this deployment; unset: nowhere. */
  readonly dataFolder?: string;
  /** Where uploaded files are kept, if there is a data folder and the user sets no FILES_URL. Default: `files` in it. */
  readonly filesFolder?: string;
  /** Environment of this process: the user's settings. */
  readonly environment: Environment;
  /** Additional settings of both programs. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Beside this package, wherever it is installed. */
export function gatewayProgram(): string {
  return fileURLToPath(import.meta.resolve('@switchyard/gateway/main'));
}

/** As above. */
export function workerProgram(): string {
  return fileURLToPath(import.meta.resolve('@switchyard/worker/main'));
}

/** Allows webhooks and called agents on this machine, for trying things out. */
export const onThisMachine = {
  PUSH_ALLOW_HTTP: 'true',
  PUSH_ALLOW_HOSTS: '127.0.0.0/8 ::1',
  AGENT_ALLOW_HTTP: 'true',
  AGENT_ALLOW_HOSTS: '127.0.0.0/8 ::1',
};

const development = {
  ...onThisMachine,
  // Keeps lines of turns out of the terminal output.
  LOG_LEVEL: 'warn',
  AGENT_LOG_LEVEL: 'info',
};

/** Common settings of gateway and worker, with the user's own (LOG_LEVEL, OPENAI_API_KEY, …). */
function programEnvironment({ environment, redisUrl, env, ...settings }: ProgramSettings): Environment {
  const { dataFolder, filesFolder } = settings;
  const files =
    dataFolder === undefined ? {} : { FILES_URL: pathToFileURL(filesFolder ?? join(dataFolder, 'files')).href };
  // This process makes the lines readable.
  return { ...development, ...files, ...withoutEmpty(environment), REDIS_URL: redisUrl, LOG_FORMAT: 'json', ...env };
}

/** The worker's, too. The gateway takes the host of each request instead, as it may be called by several. */
export function workerEnvironment(settings: ProgramSettings): Environment {
  return { PUBLIC_URL: urlOf(settings), ...programEnvironment(settings) };
}

/** An empty variable counts as unset, so it must not replace a default. */
function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, text]) => text !== ''));
}

export function startGateway(settings: ProgramSettings): Promise<GuardedProcess> {
  const { host, port, grpcPort, defaultAgent, operators } = settings;
  const root = defaultAgent === undefined ? {} : { DEFAULT_AGENT: defaultAgent };
  const env = { HOST: host, PORT: String(port), GRPC_PORT: grpcPort, ...root, ...operators?.env };
  return startProgram([gatewayProgram()], settings, env);
}

/** A first agent may lie in a folder whose package.json has no "type": Node's warning about that is no help. */
const quietly = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'];

export function startWorker(settings: ProgramSettings, before?: Killed): Promise<GuardedProcess> {
  const { isWatched, agents } = settings;
  // With --watch the worker's own supervisor knows which worker was killed.
  const more = isWatched ? ['--watch'] : afterArguments(before);
  return startProgram([...quietly, workerProgram(), ...more, ...agents], settings, workerEnvironment(settings));
}

/** A worker that is started after one that was killed records why the turns there ended. */
export function afterArguments(before: Killed | undefined): readonly string[] {
  return before ? ['--predecessor', `${before.pid}:${before.signal}`] : [];
}

export function startCompanion(program: string, settings: ProgramSettings): Promise<GuardedProcess> {
  return startProgram([program], settings);
}

function startProgram(
  args: readonly string[],
  settings: ProgramSettings,
  env: Environment = {},
): Promise<GuardedProcess> {
  return spawnGuarded(process.execPath, args, { env: { ...programEnvironment(settings), ...env } });
}
