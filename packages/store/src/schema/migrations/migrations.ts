import { countOpenTasks } from './count-open-tasks.ts';
import { indexTasks } from './index-tasks.ts';
import type { Migration } from './migration.ts';

/** In their order. A version that moves nothing of what is there has none. */
export const migrations: readonly Migration[] = [
  { version: 1, what: 'tasks from before come into the index of their agent', run: indexTasks },
  { version: 1, what: 'the open tasks of each tenant are counted anew', run: countOpenTasks },
];
