import { mkdir, realpath } from 'node:fs/promises';
import { freePort } from '../processes/free-port.ts';
import { lockFolder } from './folder-lock.ts';
import { type RedisServer, startRedisContainer, startRedisServer } from './redis-server.ts';

export interface EmbeddedRedisSettings {
  /** Where its append-only file is kept, so that a later start goes on with the same tasks. */
  readonly folder: string;
  /** A free one when left out. */
  readonly port?: number;
  /** The server's path; undefined: it runs in a container. */
  readonly program: string | undefined;
}

export interface EmbeddedRedis {
  readonly url: string;
  /** Starts it on the same files and port: at first, and again should it have died. */
  start(): Promise<RedisServer>;
  /** Lets go of the folder. Call it once the server is gone. */
  release(): Promise<void>;
}

/** Claims the folder for this process; throws FolderInUse when another one works on it. Starts nothing yet. */
export async function openEmbeddedRedis({ program, ...settings }: EmbeddedRedisSettings): Promise<EmbeddedRedis> {
  await mkdir(settings.folder, { recursive: true });
  const folder = await realpath(settings.folder);
  const port = settings.port ?? (await freePort());
  const release = await lockFolder(folder, port);
  const server = { folder, port, appendOnly: true };
  return {
    url: `redis://127.0.0.1:${port}`,
    start: () => (program ? startRedisServer({ ...server, program }) : startRedisContainer(server)),
    release,
  };
}
