import {
  type ArchiveCheckProgress,
  type ArchiveProblem,
  type ArchiveStatus,
  archiveCheckSchema,
  archiveProblems,
  archiveRecountSchema,
  archiveSchema,
  type OperatorClient,
} from '@switchyard/operator-api';
import type { Command } from 'commander';
import { z } from 'zod';
import { CommandFailure } from '../failures/failure.ts';
import { field, table } from '../output/labelled-text.ts';
import type { Invocation, Session } from '../session/session.ts';
import { confirm } from './confirm.ts';
import { ofOperators, withOperator } from './operator.ts';
import { resumed } from './resumed.ts';

/** `archive`: ended tasks in PostgreSQL. */
export function addArchiveCommands(program: Command, invocation: Invocation): void {
  const archive = program
    .command('archive')
    .description('ended tasks in PostgreSQL: status, verify, copy again, count again');
  ofOperators(archive);
  archive
    .command('status', { isDefault: true })
    .description('how many tasks the archive has, since when, and how far copying is behind')
    .action((_, command: Command) =>
      withOperator(invocation, command, async ({ output }, api) => {
        const status = await api.call('/admin/archive', archiveSchema);
        output.result(status, () => statusText(status));
      }),
    );
  archive
    .command('verify')
    .description('compare what Redis has with what the archive has of it; exits with 1 if something is wrong')
    .option('--sample <n>', 'about so many tasks', '10000')
    .option('--all', 'all tasks')
    .option('--repair', 'copy again what is missing or different, and delete in Redis what was deleted in the archive')
    .action((flags: VerifyFlags, command: Command) =>
      withOperator(invocation, command, (session, api) => verify(session, api, flags)),
    );
  archive
    .command('recopy')
    .description('let workers copy again all tasks that Redis has, for example after a restore of PostgreSQL')
    .option('--since <time>', 'only those that have ended since, such as 2026-01-31T12:00:00Z')
    .option('-y, --yes', 'do not ask')
    .action(({ since, yes }: { since?: string; yes?: boolean }, command: Command) =>
      withOperator(invocation, command, async (session, api) => {
        await confirm(session, 'Copy again all tasks that Redis has?', { yes: yes ?? since !== undefined });
        await api.call('/admin/archive:recopy', z.unknown(), { method: 'POST', body: { since } });
        session.output.result({}, () =>
          field('Archive', 'workers copy again; switchyard archive says how far they are'),
        );
      }),
    );
  archive
    .command('recount')
    .description('count the tasks of the archive again, after pg_restore --data-only')
    .action((_, command: Command) =>
      withOperator(invocation, command, async (session, api) => {
        await recount(session, api);
        const status = await api.call('/admin/archive', archiveSchema);
        session.output.result(status, () => statusText(status));
      }),
    );
  archive
    .command('forget')
    .description('after ARCHIVE_URL was taken away: Redis may drop tasks that were not copied when it is nearly full')
    .option('-y, --yes', 'do not ask')
    .action(({ yes }: { yes?: boolean }, command: Command) =>
      withOperator(invocation, command, async (session, api) => {
        await confirm(session, 'Forget up to where tasks were copied?', { yes });
        await api.call('/admin/archive:forget', z.unknown(), { method: 'POST' });
        session.output.result({}, () => field('Archive', 'forgotten'));
      }),
    );
}

async function recount({ call: { signal } }: Session, api: OperatorClient): Promise<void> {
  const how = { method: 'POST', signal } as const;
  // A gateway ends its streams after ten minutes: the next one is of the same counting.
  for (let isDone = false; !isDone; )
    for await (const event of api.events('/admin/archive:recount', archiveRecountSchema, how)) ({ isDone } = event);
}

interface VerifyFlags {
  readonly sample: string;
  readonly all?: boolean;
  readonly repair?: boolean;
}

const mebibyte = 2 ** 20;

function statusText({ archive }: ArchiveStatus): string {
  if (!archive) return field('Archive', 'none: ARCHIVE_URL is not set');
  const { tasks, bytes, oldestEndedAt, latestEndedAt, delayMs, leftOut } = archive;
  const delay =
    delayMs === undefined ? 'no task has ended' : `all that ended more than ${Math.ceil(delayMs / 1_000)} s ago`;
  return (
    field('Tasks', tasks) +
    field('Size', `${Math.ceil(bytes / mebibyte)} MiB`) +
    field('Oldest', oldestEndedAt) +
    field('Latest', latestEndedAt) +
    field('Copied', delay) +
    leftOut.map((taskId) => field('Left out', taskId)).join('')
  );
}

/** So many are listed as text. */
const MAX_LISTED = 100;

const meanings: Readonly<Record<ArchiveProblem['problem'], string>> = {
  missing: 'the archive does not have it',
  different: 'the archive has something else',
  unreadable: 'its copy cannot be read',
  deleted: 'it was deleted, and Redis still has it',
  damaged: 'Redis cannot read it',
};

async function verify(session: Session, api: OperatorClient, { sample, all, repair }: VerifyFlags): Promise<void> {
  const { output, call, invocation } = session;
  const { signal } = call;
  const query = { sample: all ? 0 : wholeNumber(sample) };
  const found: ArchiveProblem[] = [];
  const open = (pageToken: string | undefined): AsyncIterable<ArchiveCheckProgress> =>
    repair
      ? api.events('/admin/archive:repair', archiveCheckSchema, {
          method: 'POST',
          body: { ...query, pageToken },
          signal,
        })
      : api.events('/admin/archive:verify', archiveCheckSchema, { query: { ...query, pageToken }, signal });
  let checked = 0;
  for await (const { done, total, problems } of resumed(open, { signal })) {
    checked = done;
    found.push(...problems);
    if (invocation.isTerminal.err) invocation.streams.err(`\r${done} of ${total}, ${found.length} problems\u001b[K`);
  }
  if (invocation.isTerminal.err) invocation.streams.err('\r\u001b[K');
  const left = found.filter(({ isRepaired }) => !isRepaired);
  output.result({ isWell: left.length === 0, checked, problems: found }, () => foundText(checked, found));
  if (left.length > 0)
    throw new CommandFailure('SWITCHYARD_ERR_UNWELL', `${left.length} problems`, { isReported: true });
}

function foundText(checked: number, found: readonly ArchiveProblem[]): string {
  const counts = archiveProblems.flatMap((problem) => {
    const its = found.filter((one) => one.problem === problem);
    const repaired = its.filter(({ isRepaired }) => isRepaired).length;
    const text = `${its.length}${repaired > 0 ? `, ${repaired} repaired` : ''}: ${meanings[problem]}`;
    return its.length > 0 ? [field(`${problem.charAt(0).toUpperCase()}${problem.slice(1)}`, text)] : [];
  });
  const rows = found.slice(0, MAX_LISTED).map(({ taskId, problem, isRepaired }) => {
    return [taskId, problem, isRepaired ? 'yes' : 'no'];
  });
  const list = rows.length > 0 ? table(['TASK', 'PROBLEM', 'REPAIRED'], rows) : field('Problems', 'none');
  const more = found.length > MAX_LISTED ? field('More', found.length - MAX_LISTED) : '';
  return field('Checked', checked) + counts.join('') + list + more;
}

/** @throws {CommandFailure} */
function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,7}$/.test(text)) return Number(text);
  throw new CommandFailure('A2ACLI_ERR_USAGE', `--sample is "${text}" and must be a whole number of 1 or more`);
}
