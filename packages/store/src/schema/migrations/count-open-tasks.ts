import type { ShardKeys } from '../../redis/keys.ts';
import { integer } from '../../redis/reply.ts';
import { scanKeys } from '../../redis/scan-keys.ts';
import { defineScript } from '../../redis/script.ts';
import type { Migration, MigrationPort } from './migration.ts';

const countOpenTasksScript = defineScript({
  file: 'count-open-tasks.lua',
  from: import.meta.url,
  keys: ['indexRoot', 'outbox'],
  args: ['isLast', 'owners*'],
  reply: integer,
});

/** New principals may arrive during every count: the last one then lacks the tasks of the newest principals. */
const MAX_TIMES = 5;

/** Counts the open tasks of each tenant: releases before ADR 0069 did not. */
export const countOpenTasks: Migration['run'] = async (port, onProgress) => {
  let done = 0;
  for (const shard of port.shards.all) {
    let count = -1;
    for (let time = 1; count < 0; time++) count = await countIn(shard, port, time === MAX_TIMES);
    done += count;
    await onProgress(done);
  }
};

async function countIn(shard: ShardKeys, { redis }: MigrationPort, isLast: boolean): Promise<number> {
  const owners = new Set<string>();
  for await (const keys of scanKeys(redis, shard.ownedPattern()))
    for (const { kind, owner, rest } of keys.map((key) => shard.ownedKey(key)))
      if (kind === 'x' && rest === undefined) owners.add(owner);
  const { indexRoot, outbox } = shard.shared;
  const args = { isLast: isLast ? 1 : 0, owners: [...owners] };
  return countOpenTasksScript.run(redis, { keys: { indexRoot, outbox }, args });
}
