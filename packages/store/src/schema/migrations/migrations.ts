import { countOpenTasks } from './count-open-tasks.ts';
import { indexTasks } from './index-tasks.ts';
import type { Migration } from './migration.ts';

/** In the order in which they run. A version that changes no stored data has none. */
export const migrations: readonly Migration[] = [
  { version: 1, what: 'add older tasks to the index of their agent', run: indexTasks },
  { version: 1, what: 'count the open tasks of each tenant', run: countOpenTasks },
];
