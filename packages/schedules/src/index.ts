export { longestAheadMs, nextTimes } from './cron-times.ts';
export { type ScheduleChange, ScheduleList, type ScheduleReading } from './schedule-list.ts';
export {
  type BegunTask,
  type BegunTasks,
  beginScheduledScript,
  type RefusedNextTask,
  ScheduledTasks,
} from './scheduled-tasks.ts';
