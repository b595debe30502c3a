import { type Usage, type UsageRow, usageGroups, usageSchema } from '@switchyard/operator-api';
import { usdText } from '@switchyard/protocol';
import { type Command, Option } from 'commander';
import { CommandFailure } from '../failures/failure.ts';
import { field, table } from '../output/labelled-text.ts';
import type { Invocation } from '../session/session.ts';
import { ofOperators, withOperator } from './operator.ts';

interface Choice {
  readonly by: (typeof usageGroups)[number];
  readonly since: string;
  readonly agent?: string;
  readonly tenant?: string;
  readonly model?: string;
}

/** `usage`: what was used of models, and what it cost. */
export function addUsageCommand(program: Command, invocation: Invocation): void {
  ofOperators(program.command('usage'))
    .description('what was used of models, and what it cost')
    .addOption(new Option('--by <group>', 'a row for each').choices(usageGroups).default('agent'))
    .option('--since <days>', 'the last days: 7d, or from a day: 2026-11-01 (UTC)', '7d')
    .option('--agent <id>', 'only of this agent')
    .option('--tenant <name>', 'only of this tenant')
    .option('--model <name>', 'only of this model')
    .action(({ since, by, agent, tenant, model }: Choice, command: Command) =>
      withOperator(invocation, command, async ({ output }, api) => {
        const query = { by, from: firstDay(since), agent, tenant, model };
        const usage = await api.call('/admin/usage', usageSchema, { query });
        output.result(usage, () => textOf(usage));
      }),
    );
}

/** @throws {CommandFailure} */
function firstDay(since: string): string {
  const [, days] = /^(\d{1,3})d$/.exec(since) ?? [];
  if (days !== undefined) return new Date(Date.now() - (Number(days) - 1) * 86_400_000).toISOString().slice(0, 10);
  if (/^\d{4}-\d\d-\d\d$/.test(since) && !Number.isNaN(Date.parse(since))) return since;
  throw new CommandFailure(
    'A2ACLI_ERR_USAGE',
    `--since is "${since}" and must be a number of days such as 7d, or a day`,
  );
}

function textOf({ by, from, to, total, rows, totalSize }: Usage): string {
  const days = field('Days', from === to ? from : `${from} to ${to} (UTC)`);
  if (rows.length === 0) return `${days}No model was used.\n`;
  const lines = rows.map((row) => lineOf(row.name || '-', row));
  if (rows.length > 1) lines.push(lineOf('total', total));
  const more = totalSize > rows.length ? field('More', `${totalSize - rows.length} with less`) : '';
  return days + table([by.toUpperCase(), ...head], lines) + more;
}

const head = ['COST', 'TOKENS IN', 'TOKENS OUT', 'REQUESTS', 'WITHOUT PRICE'];

function lineOf(name: string, amounts: Omit<UsageRow, 'name'>): string[] {
  const { microUsd = 0, inputTokens = 0, outputTokens = 0, calls = 0, unpricedCalls = 0 } = amounts;
  return [name, usdText(microUsd), ...[inputTokens, outputTokens, calls, unpricedCalls].map(String)];
}
