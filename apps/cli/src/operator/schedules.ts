import { type OperatorClient, pageOf, scheduleReadingSchema } from '@switchyard/operator-api';
import type { Command } from 'commander';
import type { z } from 'zod';
import { programWithFolder } from '../data-folder/data-folder.ts';
import { CommandFailure } from '../failures/failure.ts';
import { field, table } from '../output/labelled-text.ts';
import { withEachId } from '../session/each-id.ts';
import { type Invocation, optionsText } from '../session/session.ts';
import { requireKnownAgent } from './known-agent.ts';
import { ofOperators } from './operator.ts';
import { type ScheduleAccess, withSchedules } from './schedule-access.ts';

/** A client's own have no owner. */
const scheduleSchema = scheduleReadingSchema.partial({ tenant: true, subject: true });
type Schedule = z.infer<typeof scheduleSchema>;
const schedulesSchema = pageOf('schedules', scheduleSchema);

const forClients = `
Without an operators' key, these are the schedules of the client whose credentials --bearer or --api-key gives.`;

interface Filter {
  readonly agent?: string;
  readonly tenant?: string;
  readonly pageSize?: string;
  readonly pageToken?: string;
}

/** `schedules`: messages for later, and series by cron. */
export function addScheduleCommands(program: Command, invocation: Invocation): void {
  const schedules = program.command('schedules').description('schedules: list, show, pause, resume, end');
  ofOperators(schedules).addHelpText('after', forClients);
  schedules
    .command('list', { isDefault: true })
    .description('list the schedules that go on, with their next and last task')
    .option('--agent <id>', 'only of this agent')
    .option('--tenant <name>', 'only of this tenant')
    .option('--page-size <n>', 'schedules per page', '100')
    .option('--page-token <token>', 'the next-page token of the previous page')
    .action((filter: Filter, command: Command) =>
      withSchedules(invocation, command, async ({ output }, { api, list, isOperator }) => {
        if (!isOperator) requireNoTenant(filter);
        const page = await api.call(list, schedulesSchema, { query: { ...filter } });
        if (isOperator && page.totalSize === 0) await requireKnownAgent(api, filter.agent);
        output.result(page, () => {
          const rows = page.schedules.length > 0 ? table(head, page.schedules.map(row)) : '';
          return (
            field('Schedules', page.totalSize) +
            rows +
            field('Next', nextPage(invocation, { ...filter, deployment: api.deployment }, page))
          );
        });
      }),
    );
  schedules
    .command('show')
    .description('show a schedule, by the id of any of its tasks: its next and its last task')
    .argument('<id>')
    .action((id: string, _, command: Command) =>
      withSchedules(invocation, command, async ({ output }, { api, list }) => {
        const schedule = await api.call(`${list}/${encodeURIComponent(id)}`, scheduleSchema);
        output.result(schedule, () => scheduleText(schedule));
      }),
    );
  for (const [name, description] of changes)
    schedules
      .command(name)
      .description(description)
      .argument('<ids...>')
      .action((ids: string[], _, command: Command) =>
        withSchedules(invocation, command, (session, access) => {
          const act = (id: string) => change(access, id, name);
          return withEachId(session, { ids, act, explain: access.explain });
        }),
      );
}

const changes = [
  ['pause', 'begin no task until the schedule is resumed'],
  ['resume', 'go on at the next time'],
  ['end', 'cancel the task that waits; tasks that have begun go on'],
] as const;

async function change({ api, list }: ScheduleAccess, id: string, name: (typeof changes)[number][0]) {
  const path = `${list}/${encodeURIComponent(id)}:${name}`;
  const schedule = await api.call(path, scheduleSchema.optional(), { method: 'POST' });
  // Clients get the schedule as it was.
  const text = schedule && name !== 'end' ? scheduleText(schedule) : field('Ended', id);
  return { json: schedule ?? { scheduleId: id }, text };
}

/** @throws {CommandFailure} */
function requireNoTenant({ tenant }: Filter): void {
  if (tenant === undefined) return;
  const hint = 'Without one the schedules are your own.';
  throw new CommandFailure('A2ACLI_ERR_USAGE', "--tenant needs an operators' key (ADMIN_KEY)", { hint });
}

function nextPage(
  invocation: Invocation,
  filter: Filter & Pick<OperatorClient, 'deployment'>,
  page: z.infer<typeof schedulesSchema>,
): string {
  const { pageSize, pageToken: _, ...same } = filter;
  const next = { ...same, 'page-size': pageSize, 'page-token': page.nextPageToken };
  return page.nextPageToken && `${programWithFolder(invocation)} schedules list${optionsText(next)}`;
}

const head = ['ID', 'AGENT', 'OWNER', 'STATE', 'NEXT', 'CRON', 'LAST'];

function row(schedule: Schedule): string[] {
  const { scheduleId, agent, state, nextAt = '' } = schedule;
  return [scheduleId, agent, ownerText(schedule) ?? 'you', state, nextAt, cronText(schedule), lastText(schedule)];
}

function ownerText({ tenant, subject }: Schedule): string | undefined {
  return subject === undefined ? undefined : `${tenant}/${subject}`;
}

function cronText({ cron = '', timeZone }: Schedule): string {
  return timeZone === undefined ? cron : `${cron} (${timeZone})`;
}

function lastText({ lastTaskId, lastState }: Schedule): string {
  if (lastTaskId === undefined) return '';
  return lastState?.replace('TASK_STATE_', '').toLowerCase() ?? 'no longer kept';
}

function scheduleText(schedule: Schedule): string {
  const { scheduleId, agent, contextId, state, nextTaskId, nextAt, until, times } = schedule;
  const { lastTaskId, lastAt } = schedule;
  return [
    field('Schedule', scheduleId),
    field('Agent', agent),
    field('Owner', ownerText(schedule)),
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
