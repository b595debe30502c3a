export { longestAheadMs, nextTimes } from './cron-times.ts';
export { type ScheduleChange, ScheduleList, type ScheduleReading } from './schedule-list.ts';
export { type BegunTasks, beginScheduledScript, ScheduledTasks } from './scheduled-tasks.ts';
