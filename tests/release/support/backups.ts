import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dataSettings, RedisNode } from '../../../workshop/faults/redis/redis-node.ts';
import { until } from '../../support/until.ts';

/** A way to back a Redis up, as docs/backup.md says. The copy goes into a folder. */
export interface Way {
  readonly name: string;
  /** That it needs beside Redis. */
  readonly program?: string;
  take(node: RedisNode, into: string): Promise<unknown>;
  /** A Redis with what the copy has, which keeps an append-only file again. */
  restore(from: string, folder: string): Promise<RedisNode>;
}

const isIn = async (node: RedisNode, line: string): Promise<boolean> =>
  (await node.ask('INFO persistence')).includes(line);

export const ways: readonly Way[] = [
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
      // Files that a rewrite is about to replace would not belong together.
      await node.ask('CONFIG SET auto-aof-rewrite-percentage 0');
      await until(() => isIn(node, 'aof_rewrite_in_progress:0'), { what: 'none is rewritten', timeoutMs: 30_000 });
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

/** With `appendonly yes` it would look for append-only files, find none, and begin with nothing. */
async function fromSnapshot(from: string, folder: string): Promise<RedisNode> {
  const node = await RedisNode.create({ folder, settings: { ...dataSettings, appendonly: 'no' } });
  await cp(join(from, 'dump.rdb'), join(node.folder, 'dump.rdb'));
  await node.start();
  await node.ask('CONFIG SET appendonly yes');
  await until(() => isIn(node, 'aof_rewrite_in_progress:0'), { what: 'the file is written', timeoutMs: 30_000 });
  return node;
}

/** A folder for a copy. */
export async function folderFor(way: Way, root: string): Promise<string> {
  const folder = join(root, way.name.replaceAll(/\W+/g, '-'));
  await mkdir(folder);
  return folder;
}
