import {
  type OperatorClient,
  readSearch,
  searchTerms,
  type TaskPage,
  type TaskRow,
  type TaskSearch,
  taskPageSchema,
} from '@switchyard/operator-api';
import { quoted } from '@switchyard/settings/terminal';
import type { Command } from 'commander';
import { programWithFolder } from '../data-folder/data-folder.ts';
import { CommandFailure } from '../failures/failure.ts';
import { field, table } from '../output/labelled-text.ts';
import { type Invocation, optionsText, type Session } from '../session/session.ts';
import { requireKnownAgent } from './known-agent.ts';
import { ofOperators, withOperator } from './operator.ts';

interface PageFlags {
  readonly pageSize: string;
  readonly pageToken?: string;
}

/** `search`: tasks of all clients, found as in the console. */
export function addSearchCommand(program: Command, invocation: Invocation): void {
  ofOperators(program.command('search'))
    .description('find tasks of all clients, latest first, by the terms of the console')
    .argument('[terms...]', 'such as agent:pizza text:invoice; without one: all tasks')
    .option('--page-size <n>', 'tasks per page', '50')
    .option('--page-token <token>', 'the next-page token of the previous page')
    .addHelpText('after', termsText)
    .action((words: string[], flags: PageFlags, command: Command) =>
      withOperator(invocation, command, (session, api) => search(session, api, { words, flags })),
    );
}

const termsText = `
Terms:
${searchTerms.map(({ name, about }) => `  ${`${name}:`.padEnd(9)} ${about}`).join('\n')}
`;

async function search(
  { output, invocation }: Session,
  api: OperatorClient,
  { words, flags }: { readonly words: readonly string[]; readonly flags: PageFlags },
): Promise<void> {
  const terms = words.map(asTyped).join(' ');
  const query = queryOf(terms);
  const page = await api.call('/admin/tasks', taskPageSchema, { query: { ...query, ...flags, contents: true } });
  if (page.tasks.length === 0) await requireKnownAgent(api, query.agent);
  const { pageSize } = flags;
  const following = optionsText({
    deployment: api.deployment,
    'page-size': pageSize,
    'page-token': page.nextPageToken,
  });
  const again = `${programWithFolder(invocation)} search${terms === '' ? '' : ` ${quoted(terms)}`}`;
  output.result(page, () => textOf(page) + field('Next', page.nextPageToken && `${again}${following}`));
  if (page.tasks.length === 0) for (const hint of hintsFor(query)) output.note(`Hint: ${hint}`);
}

/** Why a search that looks right may find nothing. */
function hintsFor({ id, text }: TaskSearch): string[] {
  return [
    ...(id === undefined
      ? []
      : [`A word alone is the id of a task; text:${id} finds words in messages and artifacts.`]),
    ...(text === undefined ? [] : ['text: finds whole words, in ended tasks that are in the archive.']),
  ];
}

/** A shell takes the quotes of `text:"two words"` away. */
function asTyped(word: string): string {
  const [, name, value] = /^(\w+):([^":\s]*\s[^":]*)$/.exec(word) ?? [];
  return name === undefined ? word : `${name}:"${value}"`;
}

/** @throws {CommandFailure} */
function queryOf(terms: string): TaskSearch {
  const { search: found, problem } = readSearch(terms, Date.now());
  if (problem !== undefined) throw new CommandFailure('A2ACLI_ERR_USAGE', problem);
  return found;
}

function textOf({ tasks, totalSize, isPartial }: TaskPage): string {
  const count = field('Tasks', isPartial ? `${totalSize} or more` : totalSize);
  return count + (tasks.length > 0 ? table(head, tasks.map(row)) : '');
}

const head = ['TASK', 'AGENT', 'STATE', 'AT', 'TENANT', 'SUBJECT', 'TEXT'];

function row({ taskId, agent, state, at, tenant, subject, text }: TaskRow): string[] {
  return [taskId, agent, state, at, tenant, subject, text];
}
