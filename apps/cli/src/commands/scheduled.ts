import { scheduleUri } from '@switchyard/protocol';
import { z } from 'zod';
import type { Agent } from '../agent/agent.ts';
import { stateOf, type Task } from '../agent/objects.ts';

const metadataSchema = z.looseObject({
  [scheduleUri]: z.looseObject({ at: z.string(), cron: z.string().optional(), scheduleId: z.string().optional() }),
});

function scheduleOf({ metadata }: Task) {
  return metadataSchema.safeParse(metadata).data?.[scheduleUri];
}

/** When a task that waits for its time begins; undefined: it does not wait for a time. */
export function startOf(task: Task): string | undefined {
  const { at } = scheduleOf(task) ?? {};
  return stateOf(task) === 'TASK_STATE_SUBMITTED' && at !== undefined && Date.parse(at) > Date.now() ? at : undefined;
}

/**
 * What a cancel means for the schedule of the task: with the task that waits it ends, with any other task it goes on.
 * @returns undefined: the task is not one of a series
 */
export async function noteOfSchedule(agent: Agent, task: Task): Promise<string | undefined> {
  const { cron, scheduleId } = scheduleOf(task) ?? {};
  if (cron === undefined || scheduleId === undefined) return undefined;
  const { tasks = [] } = await agent.listTasks({ contextId: task.contextId, status: 'TASK_STATE_SUBMITTED' });
  const next = tasks.find((each) => scheduleOf(each)?.scheduleId === scheduleId && startOf(each) !== undefined);
  return next
    ? `The schedule goes on: task ${next.id} begins at ${startOf(next)}. Its cancel ends the schedule.`
    : `The schedule ${scheduleId} has ended with this task.`;
}
