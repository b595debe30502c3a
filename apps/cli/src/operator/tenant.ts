import { once } from 'node:events';
import { open as openFile, rename } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { type OperatorClient, type TenantExportProgress, tenantExportSchema } from '@switchyard/operator-api';
import { quoted } from '@switchyard/settings/terminal';
import type { Command } from 'commander';
import { programWithFolder } from '../data-folder/data-folder.ts';
import { field } from '../output/labelled-text.ts';
import { type Invocation, optionsText, type Session } from '../session/session.ts';
import { ofOperators, withOperator } from './operator.ts';
import { resumed } from './resumed.ts';

interface ExportFlags {
  readonly subject?: string;
  readonly since?: string;
  readonly until?: string;
  readonly pageToken?: string;
}

/** `tenant`: the data of a tenant. */
export function addTenantCommands(program: Command, invocation: Invocation): void {
  const tenant = program.command('tenant').description('the data of a tenant: export its tasks');
  ofOperators(tenant);
  tenant
    .command('export')
    .description('write all tasks of a tenant, also those in the archive, one per line as JSON')
    .argument('<tenant>')
    .argument('[file]', 'it has the ending .part until all are written (default: stdout)')
    .option('--subject <name>', 'only of this principal')
    .option('--since <time>', 'only tasks that ended, or changed last, since this time, such as 2026-01-31T12:00:00Z')
    .option('--until <time>', 'only until this time')
    .option('--page-token <token>', 'go on where an export broke off, at the end of its file')
    .action((id: string, file: string | undefined, flags: ExportFlags, command: Command) =>
      withOperator(invocation, command, (session, api) => exportTenant(session, api, { id, file, flags })),
    );
}

interface Export {
  readonly id: string;
  readonly file: string | undefined;
  readonly flags: ExportFlags;
}

async function exportTenant(session: Session, api: OperatorClient, { id, file, flags }: Export): Promise<void> {
  const { output, call, invocation } = session;
  const { pageToken: from, ...query } = flags;
  const path = `/admin/tenants/${encodeURIComponent(id)}/export`;
  const open = (pageToken: string | undefined): AsyncIterable<TenantExportProgress> =>
    api.events(path, tenantExportSchema, { query: { ...query, pageToken }, signal: call.signal });
  const part = `${file}.part`;
  // Texts of clients: only the user who exports them may read the file.
  const target = file === undefined ? undefined : await openFile(part, from === undefined ? 'w' : 'a', 0o600);
  let [written, position] = [0, from];
  try {
    for await (const { done, total, lines, nextPageToken } of resumed(open, { from, signal: call.signal })) {
      const text = lines.map((line) => `${line}\n`).join('');
      await (target ? target.appendFile(text) : print(invocation.stdout, text));
      [written, position] = [done, nextPageToken];
      showProgress(invocation, `${done} of ${total}`);
    }
    await target?.sync();
  } catch (error) {
    const next = optionsText({ ...query, deployment: api.deployment, 'page-token': position });
    if (position !== undefined)
      output.note(`Not all was written; to go on: ${commandOf(invocation, { id, file })}${next}`);
    throw error;
  } finally {
    showProgress(invocation, '');
    await target?.close();
  }
  if (file === undefined) return output.note(written === 1 ? '1 task' : `${written} tasks`);
  await rename(part, file);
  output.result({ file, tasks: written }, () => field('File', file) + field('Tasks', written));
}

/** In place of what was shown before. */
function showProgress({ isTerminal, streams }: Invocation, text: string): void {
  if (isTerminal.err) streams.err(`\r${text}\u001b[K`);
}

function commandOf(invocation: Invocation, { id, file }: Omit<Export, 'flags'>): string {
  const words = file === undefined ? [id] : [id, file];
  return [programWithFolder(invocation), 'tenant export', ...words.map(quoted)].join(' ');
}

async function print(target: Writable, text: string): Promise<void> {
  if (!target.write(text)) await once(target, 'drain');
}
