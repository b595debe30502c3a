import {
  type BulkProgress,
  bulkProgressSchema,
  type DeadLetter,
  type DeadLetterFilter,
  deadLetterFilterSchema,
  deadLetterSchema,
  type OperatorClient,
  pageOf,
} from '@switchyard/operator-api';
import type { Command } from 'commander';
import { z } from 'zod';
import { programWithFolder } from '../data-folder/data-folder.ts';
import { CommandFailure } from '../failures/failure.ts';
import { field, table } from '../output/labelled-text.ts';
import { type Done, withEachId } from '../session/each-id.ts';
import { type Invocation, optionsText, type Session } from '../session/session.ts';
import { confirm } from './confirm.ts';
import { requireKnownAgent } from './known-agent.ts';
import { ofOperators, withOperator } from './operator.ts';

const lettersSchema = pageOf('deadLetters', deadLetterSchema);
const retriedSchema = z.object({ taskId: z.string().optional() });

interface Filter {
  readonly kind?: string;
  readonly agent?: string;
  readonly tenant?: string;
  readonly reason?: string;
  readonly since?: string;
  readonly pageSize?: string;
  readonly pageToken?: string;
}

/** `dead`: messages and webhooks that failed for good. */
export function addDeadCommands(program: Command, invocation: Invocation): void {
  const dead = program.command('dead').description('dead letters: list, retry, delete');
  ofOperators(dead);
  filtered(dead.command('list', { isDefault: true }))
    .description('list dead letters, latest first')
    .option('--page-size <n>', 'dead letters per page', '100')
    .option('--page-token <token>', 'the next-page token of the previous page')
    .action((filter: Filter, command: Command) =>
      withOperator(invocation, command, (session, api) => list(session, api, filter)),
    );
  filtered(dead.command('retry'))
    .description('retry some, or with --all every one that matches the filter')
    .argument('[ids...]')
    .option('--all', 'every one, or every one that matches the filter')
    .option('--dry-run', 'with --all: only count and list them')
    .option('-y, --yes', 'with --all: do not ask')
    .action((ids: string[], flags: RetryFlags, command: Command) =>
      withOperator(invocation, command, async (session, api, explain) => {
        const { all, dryRun, yes, ...filter } = flags;
        if ((ids.length === 0) === !all) throw new CommandFailure('A2ACLI_ERR_USAGE', 'Give ids, or --all');
        if (ids.length > 0) return withEachId(session, { ids, act: (id) => retry(api, id), explain });
        await retryMatching(session, api, { filter, dryRun, yes });
      }),
    );
  dead
    .command('delete')
    .description('delete some')
    .argument('<ids...>')
    .action((ids: string[], _, command: Command) =>
      withOperator(invocation, command, (session, api, explain) => {
        const act = async (id: string) => {
          await api.call(`/admin/dead-letters/${encodeURIComponent(id)}`, z.unknown(), { method: 'DELETE' });
          return { json: {}, text: field('Deleted', id) };
        };
        return withEachId(session, { ids, act, explain });
      }),
    );
}

interface RetryFlags extends Filter {
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

function filtered(command: Command): Command {
  return command
    .option('--kind <turn|webhook>', 'only this kind')
    .option('--agent <id>', 'only of this agent')
    .option('--tenant <name>', 'only of this tenant')
    .option('--reason <text>', 'only with this text in their reason')
    .option('--since <time>', 'only since this time, such as 2026-01-31T12:00:00Z');
}

async function list({ output, invocation }: Session, api: OperatorClient, filter: Filter): Promise<void> {
  const page = await api.call('/admin/dead-letters', lettersSchema, { query: { ...filter } });
  if (page.totalSize === 0) await requireKnownAgent(api, filter.agent);
  const { pageSize, pageToken: _, ...same } = filter;
  const following = {
    ...same,
    deployment: api.deployment,
    'page-size': pageSize,
    'page-token': page.nextPageToken,
  };
  const next = page.nextPageToken && `${programWithFolder(invocation)} dead list${optionsText(following)}`;
  output.result(page, () => {
    const count = field('Dead-Letters', page.totalSize);
    return count + (page.deadLetters.length > 0 ? table(head, page.deadLetters.map(row)) : '') + field('Next', next);
  });
}

const head = ['ID', 'KIND', 'AGENT', 'TENANT', 'ATTEMPTS', 'DIED', 'REASON'];

/** The reason is why the last attempt failed, where that is known; otherwise what the client was told. */
function row({ id, kind, agent, origin, tenant = '', attempts, diedAt, reason, why }: DeadLetter): string[] {
  const text = why ? `${why.kind}: ${why.message}` : reason;
  return [id, kind, agent ?? origin ?? '', tenant, String(attempts), diedAt, text];
}

async function retry(api: OperatorClient, id: string): Promise<Done> {
  const path = `/admin/dead-letters/${encodeURIComponent(id)}:retry`;
  const answer = await api.call(path, retriedSchema, { method: 'POST' });
  return { json: answer, text: field('Retried', id) + field('Task', answer.taskId) };
}

interface Retry {
  readonly filter: Filter;
  readonly dryRun: boolean | undefined;
  readonly yes: boolean | undefined;
}

/** Counts and asks before it retries all. */
async function retryMatching(session: Session, api: OperatorClient, { filter, dryRun, yes }: Retry): Promise<void> {
  const matching = filterIn(filter);
  const page = await api.call('/admin/dead-letters', lettersSchema, { query: { ...matching, pageSize: 100 } });
  const { totalSize } = page;
  if (totalSize === 0) await requireKnownAgent(api, filter.agent);
  if (dryRun) {
    const rows = totalSize > 0 ? table(head, page.deadLetters.map(row)) : '';
    const more = totalSize > page.deadLetters.length ? field('More', totalSize - page.deadLetters.length) : '';
    return session.output.result(page, () => field('Would-Retry', totalSize) + rows + more);
  }
  if (totalSize > 0) await confirm(session, `Retry ${totalSize} dead letters?`, { yes });
  await retryAll(session, api, matching);
}

/** @throws {CommandFailure} */
function filterIn(filter: Filter): DeadLetterFilter {
  const { data, error } = deadLetterFilterSchema.safeParse(filter);
  if (!error) return data;
  const problems = error.issues.map(({ path, message }) => `--${path.join('.')} ${message}`);
  throw new CommandFailure('A2ACLI_ERR_USAGE', problems.join('; '));
}

/** Continues while this command runs; if started again, it retries the rest. */
async function retryAll(session: Session, api: OperatorClient, body: DeadLetterFilter): Promise<void> {
  const { output, options, invocation, call } = session;
  const request = { method: 'POST', body, signal: call.signal } as const;
  let last: BulkProgress | undefined;
  for await (const progress of api.events('/admin/dead-letters:retry', bulkProgressSchema, request)) {
    last = progress;
    if (options.stream) output.result(progress, () => progressText(progress));
    else if (invocation.isTerminal.err) invocation.streams.err(`\r${progress.done} of ${progress.total}`);
  }
  if (invocation.isTerminal.err && !options.stream) invocation.streams.err('\r\u001b[K');
  if (!last?.isDone)
    throw new CommandFailure('SWITCHYARD_ERR_CUT_OFF', 'The gateway ended before all were retried', retryAgain);
  const end = last;
  if (!options.stream) output.result(end, () => progressText(end));
}

const retryAgain = { hint: 'Run it again: what was retried is not retried twice.' };

function progressText({ done, total, retried, refused }: BulkProgress): string {
  return field('Done', `${done} of ${total}, ${retried} retried, ${refused} refused`);
}
