import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, isPortTaken } from '../processes/free-port.ts';
import { lockFolder } from './folder-lock.ts';
import { type RedisServer, startRedisContainer, startRedisServer } from './redis-server.ts';

export interface EmbeddedRedisSettings {
  /** Folder of the append-only file, so that a later start has the same tasks. */
  readonly folder: string;
  /** Default: that of the last start if it is free, otherwise any free port. */
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
  const portFile = join(folder, 'port');
  const port = settings.port ?? (await lastPort(portFile)) ?? (await freePort());
  const release = await lockFolder(folder, port);
  await writeFile(portFile, `${port}\n`);
  const server = { folder, port, appendOnly: true };
  return {
    url: `redis://127.0.0.1:${port}`,
    start: () => (program ? startRedisServer({ ...server, program }) : startRedisContainer(server)),
    release,
  };
}

/** Programs that were started with the address of the last Redis, such as further workers, find this one there. */
async function lastPort(file: string): Promise<number | undefined> {
  const port = Number(await readFile(file, 'utf8').catch(() => ''));
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return;
  return (await isPortTaken(port, '127.0.0.1')) ? undefined : port;
}
