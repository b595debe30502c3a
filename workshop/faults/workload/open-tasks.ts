import { Store } from '@switchyard/store';
import { until } from '../../../tests/support/until.ts';
import type { Violation } from './violations.ts';

const OPEN = ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED'] as const;

/** All tasks of an agent have ended: none may be in an index, or counted, as if it had not. */
export async function openInIndexes(redisUrl: string, prefix: string, agent: string): Promise<Violation[]> {
  const store = new Store({ redisUrl, prefix }, () => undefined);
  await store.start('visitor');
  const open = async (): Promise<number> => {
    const found = await store.ops.searchTasks({ agent, states: OPEN, pageSize: 10, hasText: false });
    const tenants = await store.ops.tenants.list();
    return found.totalSize + tenants.reduce((sum, { openTasks }) => sum + openTasks, 0);
  };
  try {
    await until(async () => (await open()) === 0, { what: 'no task is open', timeoutMs: 30_000, everyMs: 500 });
    return [];
  } catch (error) {
    return [{ kind: 'keys', what: `${await open()} tasks count as open: ${error}` }];
  } finally {
    await store.stop();
  }
}
