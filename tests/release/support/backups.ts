import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dataSettings, RedisNode } from '../../../workshop/faults/redis/redis-node.ts';
import { until } from '../../support/until.ts';

/** A way to back up a Redis, from docs/backup.md. The copy is a folder. */
export interface BackupMethod {
  readonly name: string;
  /** The program that it needs besides Redis. */
  readonly program?: string;
  take(node: RedisNode, into: string): Promise<unknown>;
  /** Starts a Redis with the contents of the copy, which keeps an append-only file again. */
  restore(from: string, folder: string): Promise<RedisNode>;
}

const isIn = async (node: RedisNode, line: string): Promise<boolean> =>
  (await node.ask('INFO persistence')).includes(line);

export const backupMethods: readonly BackupMethod[] = [
  {
    name: 'BGSAVE, and a copy of dump.rdb',
    async take(node, into) {
      await node.ask('BGSAVE');
      await until(() => isIn(node, 'rdb_bgsave_in_progress:0'), { what: 'it is saved', timeoutMs: 30_000 });
      await cp(join(node.folder, 'dump.rdb'), join(into, 'dump.rdb'));
    },
    restore: fromSnapshot,
  },
  {
    name: 'redis-cli --rdb',
    program: 'redis-cli',
    take: (node, into) => promisify(execFile)('redis-cli', ['-p', String(node.port), '--rdb', join(into, 'dump.rdb')]),
    restore: fromSnapshot,
  },
  {
    name: 'a copy of the append-only files',
    async take(node, into) {
      // During a rewrite the files would not belong together.
      await node.ask('CONFIG SET auto-aof-rewrite-percentage 0');
      await until(() => isIn(node, 'aof_rewrite_in_progress:0'), {
        what: 'no append-only file is being rewritten',
        timeoutMs: 30_000,
      });
      await cp(join(node.folder, 'appendonlydir'), join(into, 'appendonlydir'), { recursive: true });
      await node.ask('CONFIG SET auto-aof-rewrite-percentage 100');
    },
    async restore(from, folder) {
      const node = await RedisNode.create({ folder, settings: dataSettings });
      await cp(join(from, 'appendonlydir'), join(node.folder, 'appendonlydir'), { recursive: true });
      await node.start();
      return node;
    },
  },
];

/** With `appendonly yes` it would look for append-only files, find none, and start empty. */
async function fromSnapshot(from: string, folder: string): Promise<RedisNode> {
  const node = await RedisNode.create({ folder, settings: { ...dataSettings, appendonly: 'no' } });
  await cp(join(from, 'dump.rdb'), join(node.folder, 'dump.rdb'));
  await node.start();
  await node.ask('CONFIG SET appendonly yes');
  await until(() => isIn(node, 'aof_rewrite_in_progress:0'), { what: 'the file is written', timeoutMs: 30_000 });
  return node;
}

export async function folderFor(method: BackupMethod, root: string): Promise<string> {
  const folder = join(root, method.name.replaceAll(/\W+/g, '-'));
  await mkdir(folder);
  return folder;
}
