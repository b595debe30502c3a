import { resolve } from 'node:path';
import { freePort } from '../processes/free-port.ts';

export interface StartSettings {
  readonly port: number;
  readonly host: string;
  /** As the gateway takes it: `off`, or a port; 0 is any free one. */
  readonly grpcPort: string;
  /** A Redis of the user's own; without it `npm start` runs one. */
  readonly redisUrl: string | undefined;
  /** Where the embedded Redis keeps its files. */
  readonly dataFolder: string;
  /** Of the embedded Redis; a free one when not set. */
  readonly redisPort: number | undefined;
}

/** PORT (4000; 0 for any free one), GRPC_PORT (the next one), HOST, REDIS_URL, DATA_DIR (.data) and REDIS_PORT. */
export async function readSettings(env: NodeJS.ProcessEnv): Promise<StartSettings> {
  const port = readPort('PORT', env.PORT) ?? 4000;
  return {
    port: port === 0 ? await freePort() : port,
    host: env.HOST || '127.0.0.1',
    // The one next to a free port need not be free.
    grpcPort: env.GRPC_PORT || (port === 0 ? '0' : String(port + 1)),
    redisUrl: env.REDIS_URL || undefined,
    dataFolder: resolve(env.DATA_DIR || '.data'),
    redisPort: readPort('REDIS_PORT', env.REDIS_PORT),
  };
}

function readPort(name: string, text: string | undefined): number | undefined {
  if (!text) return undefined;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`${name}: ${text} is not a port number`);
  return port;
}
