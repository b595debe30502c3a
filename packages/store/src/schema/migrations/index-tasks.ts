import { integer } from '../../redis/reply.ts';
import { scanKeys } from '../../redis/scan-keys.ts';
import { defineScript } from '../../redis/script.ts';
import type { Migration } from './migration.ts';

const indexTasksScript = defineScript({
  file: 'index-tasks.lua',
  from: import.meta.url,
  keys: ['tasksRoot', 'indexRoot'],
  args: ['taskIds*'],
  reply: integer,
});

/** Adds all tasks to the indexes of their agents: before ADR 0077 there was none, and ended tasks had to be named. */
export const indexTasks: Migration['run'] = async ({ redis, shards }, onProgress) => {
  let done = 0;
  for (const shard of shards.all) {
    const { tasksRoot, indexRoot } = shard.shared;
    for await (const keys of scanKeys(redis, shard.taskPattern)) {
      const taskIds = keys.map((key) => shard.taskIdIn(key)).filter((id) => id !== undefined);
      if (taskIds.length === 0) continue;
      done += await indexTasksScript.run(redis, { keys: { tasksRoot, indexRoot }, args: { taskIds } });
      await onProgress(done);
    }
  }
};
