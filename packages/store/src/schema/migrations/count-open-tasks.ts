import { integer } from '../../redis/reply.ts';
import { defineScript } from '../../redis/script.ts';
import type { Migration } from './migration.ts';

const countOpenTasksScript = defineScript({
  file: 'count-open-tasks.lua',
  from: import.meta.url,
  keys: ['tasksRoot', 'outbox'],
  args: [],
  reply: integer,
});

/** ADR 0069: releases of before made and ended tasks without counting them. */
export const countOpenTasks: Migration['run'] = async ({ redis, shards }, goOn) => {
  let done = 0;
  for (const { shared } of shards.all) {
    const { tasksRoot, outbox } = shared;
    done += await countOpenTasksScript.run(redis, { keys: { tasksRoot, outbox }, args: {} });
    await goOn(done);
  }
};
