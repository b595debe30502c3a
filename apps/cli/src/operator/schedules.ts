import { pageOf, type ScheduleReading, scheduleReadingSchema } from '@switchyard/operator-api';
import type { Command } from 'commander';
import type { z } from 'zod';
import { programIn } from '../data-folder/data-folder.ts';
import { field, table } from '../output/labelled-text.ts';
import { withEachId } from '../session/each-id.ts';
import { type Invocation, optionsText } from '../session/session.ts';
import { requireKnownAgent } from './known-agent.ts';
import { operatorHelp, withOperator } from './operator.ts';

const schedulesSchema = pageOf('schedules', scheduleReadingSchema);

interface Filter {
  readonly agent?: string;
  readonly tenant?: string;
  readonly pageSize?: string;
  readonly pageToken?: string;
}

/** `schedules`: messages for later, and series by cron. */
export function addScheduleCommands(program: Command, invocation: Invocation): void {
  const schedules = program.command('schedules').description('schedules: list, show, pause, resume, end');
  schedules.addHelpText('after', operatorHelp);
  schedules
    .command('list', { isDefault: true })
    .description('list the schedules that go on, with their next and last task')
    .option('--agent <id>', 'only of this agent')
    .option('--tenant <name>', 'only of this tenant')
    .option('--page-size <n>', 'schedules per page', '100')
    .option('--page-token <token>', 'the next-page token of the previous page')
    .action((filter: Filter, command: Command) =>
      withOperator(invocation, command, async ({ output }, api) => {
        const page = await api.call('/admin/schedules', schedulesSchema, { query: { ...filter } });
        if (page.totalSize === 0) await requireKnownAgent(api, filter.agent);
        output.result(page, () => {
          const rows = page.schedules.length > 0 ? table(head, page.schedules.map(row)) : '';
          return field('Schedules', page.totalSize) + rows + field('Next', nextPage(invocation, filter, page));
        });
      }),
    );
  schedules
    .command('show')
    .description('show a schedule, by the id of any of its tasks: its next and its last task')
    .argument('<id>')
    .action((id: string, _, command: Command) =>
      withOperator(invocation, command, async ({ output }, api) => {
        const schedule = await api.call(`/admin/schedules/${encodeURIComponent(id)}`, scheduleReadingSchema);
        output.result(schedule, () => scheduleText(schedule));
      }),
    );
  for (const [name, description] of changes)
    schedules
      .command(name)
      .description(description)
      .argument('<ids...>')
      .action((ids: string[], _, command: Command) =>
        withOperator(invocation, command, (session, api, explain) => {
          const act = async (id: string) => {
            const path = `/admin/schedules/${encodeURIComponent(id)}:${name}`;
            const schedule = await api.call(path, scheduleReadingSchema.optional(), { method: 'POST' });
            const text = schedule ? scheduleText(schedule) : field('Ended', id);
            return { json: schedule ?? { scheduleId: id }, text };
          };
          return withEachId(session, { ids, act, explain });
        }),
      );
}

const changes = [
  ['pause', 'begin no task until the schedule is resumed'],
  ['resume', 'go on at the next time'],
  ['end', 'cancel the task that waits; tasks that have begun go on'],
] as const;

function nextPage(invocation: Invocation, filter: Filter, page: z.infer<typeof schedulesSchema>): string {
  const { pageSize, pageToken: _, ...same } = filter;
  const next = { ...same, 'page-size': pageSize, 'page-token': page.nextPageToken };
  return page.nextPageToken && `${programIn(invocation)} schedules list${optionsText(next)}`;
}

const head = ['ID', 'AGENT', 'OWNER', 'STATE', 'NEXT', 'CRON', 'LAST'];

function row(schedule: ScheduleReading): string[] {
  const { scheduleId, agent, tenant, subject, state, nextAt = '' } = schedule;
  return [scheduleId, agent, `${tenant}/${subject}`, state, nextAt, cronText(schedule), lastText(schedule)];
}

function cronText({ cron = '', timeZone }: ScheduleReading): string {
  return timeZone === undefined ? cron : `${cron} (${timeZone})`;
}

function lastText({ lastTaskId, lastState }: ScheduleReading): string {
  if (lastTaskId === undefined) return '';
  return lastState?.replace('TASK_STATE_', '').toLowerCase() ?? 'no longer kept';
}

function scheduleText(schedule: ScheduleReading): string {
  const { scheduleId, agent, tenant, subject, contextId, state, nextTaskId, nextAt, until, times } = schedule;
  const { lastTaskId, lastAt } = schedule;
  return [
    field('Schedule', scheduleId),
    field('Agent', agent),
    field('Owner', `${tenant}/${subject}`),
    field('Context', contextId),
    field('State', state),
    field('Cron', cronText(schedule)),
    field('Until', until),
    field('Left', times),
    field('Next-Task', nextTaskId),
    field('Next', nextAt),
    field('Last-Task', lastTaskId),
    field('Last', lastAt),
    field('Last-State', lastText(schedule)),
  ].join('');
}
