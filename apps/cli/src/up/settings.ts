import { resolve } from 'node:path';
import { freePort, isPortTaken } from '@switchyard/local';
import { type Environment, Settings, urlHost } from '@switchyard/settings';

export interface StartSettings {
  readonly port: number;
  readonly host: string;
  /** As the gateway takes it: `off`, or a port; 0 is any free one. */
  readonly grpcPort: string;
  /** The user's own Redis; without it `npm start` runs one. */
  readonly redisUrl: string | undefined;
  /** Where the embedded Redis keeps its files. */
  readonly dataFolder: string;
  /** Port of the embedded Redis; unset: a free one. */
  readonly redisPort: number | undefined;
  readonly defaultAgent: string | undefined;
  /** The operators' port, which serves the console. */
  readonly adminPort: number;
  readonly adminHost: string;
  readonly servesConsole: boolean;
  /** Unset: a key is generated. */
  readonly adminKey: string | undefined;
  /** How long a stopping worker waits for its turns. */
  readonly drainMs: number;
}

/** Addresses to listen on that cannot be called: what listens there is reached through loopback, too. */
const anyAddress = ['0.0.0.0', '::'];

/** Distance from `PORT` to the operators' port. */
const AFTER_PORT = 100;
const HIGHEST_PORT = 65_535;

/**
 * Settings of `npm start`; those of its gateway and worker are validated, too.
 * @throws {SettingsError} naming every wrong one
 */
export async function readSettings(environment: Environment): Promise<StartSettings> {
  const start = new Settings('start', environment);
  const worker = new Settings('worker', environment);
  Settings.requireAllValid([start, new Settings('gateway', environment), worker]);
  const { values } = start;
  const port = values.PORT === 0 ? await freePort() : values.PORT;
  const isAnyPort = values.ADMIN_PORT === 0 || (values.ADMIN_PORT === undefined && values.PORT === 0);
  const adminPort = isAnyPort ? freePort() : (values.ADMIN_PORT ?? firstFree(adminPortOf(port), values.ADMIN_HOST));
  return {
    port,
    host: values.HOST,
    // The port after a free port need not be free.
    grpcPort: String(values.GRPC_PORT ?? (values.PORT === 0 ? 0 : grpcPortOf(port, values.ADMIN_PORT))),
    redisUrl: values.REDIS_URL,
    dataFolder: resolve(values.DATA_DIR),
    redisPort: values.REDIS_PORT,
    defaultAgent: values.DEFAULT_AGENT,
    adminPort: await adminPort,
    adminHost: values.ADMIN_HOST,
    servesConsole: values.CONSOLE,
    adminKey: values.ADMIN_KEY ?? values.ADMIN_KEY_FILE,
    drainMs: worker.values.DRAIN_MS,
  };
}

/** The default of ADMIN_PORT. */
export function adminPortOf(port: number): number {
  return portBeside(port, AFTER_PORT);
}

/** The default of GRPC_PORT, or the port after it if that is the operators'. */
function grpcPortOf(port: number, adminPort: number | undefined): number {
  const usual = portBeside(port, 1);
  return usual === adminPort ? portBeside(port, 2) : usual;
}

/** Above the port, or below it where there are no more. */
function portBeside(port: number, distance: number): number {
  return port + distance > HIGHEST_PORT ? port - distance : port + distance;
}

async function firstFree(port: number, host: string): Promise<number> {
  if (port > HIGHEST_PORT) return freePort();
  return (await isPortTaken(port, host)) ? firstFree(port + 1, host) : port;
}

/** URL on this machine of a program that listens at a host and port. */
export function urlOf({ host, port }: Pick<StartSettings, 'host' | 'port'>): string {
  return `http://${anyAddress.includes(host) ? '127.0.0.1' : urlHost(host)}:${port}`;
}
