import { mkdir, realpath } from 'node:fs/promises';
import { freePort } from '../processes/free-port.ts';
import { lockFolder } from './folder-lock.ts';
import { type RedisServer, startRedisContainer, startRedisServer } from './redis-server.ts';

export interface EmbeddedRedisSettings {
  /** Folder of the append-only file, so that a later start has the same tasks. */
  readonly folder: string;
  /** Default: a free port. */
  readonly port?: number;
  /** Path of the server; undefined: it runs in a container. */
  readonly program: string | undefined;
}

export interface EmbeddedRedis {
  readonly url: string;
  /** Starts the server. Call it again if the server died: it uses the same files and port. */
  start(): Promise<RedisServer>;
  /** Unlocks the folder. Call it when the server has stopped. */
  release(): Promise<void>;
}

/** Locks the folder for this process, without starting a server. @throws {FolderInUse} another process uses it */
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
