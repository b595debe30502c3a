import { priorityUri, scheduleUri, timeToLiveUri } from '@switchyard/protocol';
import { CommandFailure } from '../failures/failure.ts';
import { timeIn, timeText } from './start-time.ts';

/** The flags of `send` for when an agent is to work on a message; none: now. See docs/extensions/schedule.md. */
export interface ScheduleFlags {
  readonly at?: string;
  readonly cron?: string;
  readonly timeZone?: string;
  readonly until?: string;
  readonly times?: number;
}

interface RequestedSchedule {
  /** Of the message. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** What was understood, for people. */
  readonly notes: readonly string[];
}

/** @returns undefined: no schedule. @throws {CommandFailure} */
export function scheduleOf(flags: ScheduleFlags, now: Date): RequestedSchedule | undefined {
  const { at, cron, timeZone, until, times } = flags;
  if (at !== undefined && cron !== undefined)
    throw new CommandFailure('A2ACLI_ERR_USAGE', '--at and --cron exclude each other');
  if (cron === undefined) {
    const alone = Object.entries({ '--time-zone': timeZone, '--until': until, '--times': times });
    const [misplaced] = alone.find(([, value]) => value !== undefined) ?? [];
    if (misplaced !== undefined) throw new CommandFailure('A2ACLI_ERR_USAGE', `${misplaced} is for --cron`);
  }
  if (cron !== undefined) {
    const end = until === undefined ? undefined : timeIn('--until', until, now);
    const schedule = { cron, timeZone, until: end?.toISOString(), times };
    return { metadata: { [scheduleUri]: schedule }, notes: end ? [`until: ${timeText(end)}`] : [] };
  }
  if (at === undefined) return undefined;
  const time = timeIn('--at', at, now);
  const note = time < now ? `warning: --at ${at} is in the past: the task begins at once` : `at: ${timeText(time)}`;
  return { metadata: { [scheduleUri]: { at: time.toISOString() } }, notes: [note] };
}

const flagsByField: Readonly<Record<string, string>> = {
  [`message.metadata["${scheduleUri}"].at`]: '--at',
  [`message.metadata["${scheduleUri}"].cron`]: '--cron',
  [`message.metadata["${scheduleUri}"].timeZone`]: '--time-zone',
  [`message.metadata["${scheduleUri}"].until`]: '--until',
  [`message.metadata["${scheduleUri}"].times`]: '--times',
  [`message.metadata["${priorityUri}"].priority`]: '--priority',
  [`message.metadata["${timeToLiveUri}"].ttlMs`]: '--ttl (in ms)',
  'message.taskId': '--task-id',
  'message.contextId': '--context-id',
  'message.messageId': '--message-id',
};

/** Names the flags instead of the fields of the request that they set. */
export function withFlags(message: string): string {
  return Object.entries(flagsByField).reduce((text, [field, flag]) => text.replaceAll(field, flag), message);
}
