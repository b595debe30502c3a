import type { ScheduleChange } from '@switchyard/schedules';
import { scheduleIsOver, scheduleNotFound } from '../http/serve-schedules.ts';
import { live } from './live.ts';
import { noParameters, scheduleParameters } from './parameters.ts';
import { type AdminBackend, type AdminRoute, adminAction, adminRoute, listRoute } from './route.ts';

/** Schedules of all principals. `end` cancels the task that waits; tasks that have begun go on. */
export const scheduleRoutes: readonly AdminRoute[] = [
  live(
    listRoute(['/admin/schedules', scheduleParameters], 'schedules', ({ schedules }, query) => {
      const { pageSize, pageToken, ...filter } = query;
      return schedules.list(filter, { pageSize, pageToken });
    }),
  ),
  live(
    adminRoute(['get', '/admin/schedules/:id'], noParameters, async ({ schedules }, { id }) => {
      const reading = await schedules.read(id);
      if (!reading) throw scheduleNotFound(id);
      return reading;
    }),
  ),
  ...(['pause', 'resume', 'end'] as const).map((change) =>
    adminAction(['post', `/admin/schedules/:id\\:${change}`], (backend, { id }) => changed(backend, id, change)),
  ),
];

async function changed({ schedules }: AdminBackend, id: string, change: ScheduleChange): Promise<object | undefined> {
  const verdict = await schedules.change(id, change);
  if (verdict === 'gone') throw scheduleNotFound(id);
  if (verdict === 'over') throw scheduleIsOver(id);
  return change === 'end' ? undefined : schedules.read(id);
}
