// `npm run bench:before-after -- --tree <checkout>`: the rows of another checkout and of this one in alternating rounds.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startProgram } from '../../tests/support/process.ts';
import { count, flag, readCommandLine, settings, word } from '../options.ts';
import { median } from '../statistics.ts';
import { markdownTable } from '../tables.ts';
import { type Contest, inTurn, type Row, ratio } from './measure.ts';
import { commit, conditions, inWords, today, writeResult } from './report.ts';
import { rows, wireRows } from './rows/index.ts';
import { openStage, type Stage } from './stage.ts';

const ids = rows.map(({ id }) => id);
const { options, names } = readCommandLine({
  usage: `npm run bench:before-after -- --tree <checkout> [options] [row …]
  Ours alone, without peers. The gateway, worker and agent of both trees get the same load from the same generator, in
  turn; the first round only warms up. The store's own rows (list, memory, append, read) are measured by the bench of
  each tree, since they are inside of a process. What a setting costs: the same checkout twice, --tree . --env …; those
  rows are left out then. Rows: ${ids.join(', ')}`,
  options: {
    tree: word('<folder>', 'the other checkout, with its node_modules', [/./, 'a folder']),
    rounds: count('rounds of each row that count; the store is measured in every third', '6', ['1']),
    env: settings('settings of this checkout only'),
    save: flag('write workshop/bench/results/before-after.md'),
  },
  names: ids,
});
const root = resolve(process.env.INIT_CWD ?? '.', options.tree ?? '');
if (!options.tree || !existsSync(join(root, 'node_modules'))) {
  process.stderr.write(`--tree ${root}: name a checkout in which npm install was run\n`);
  process.exit(2);
}

const seen = conditions();
const isChosen = ({ id }: Row): boolean => !names.length || names.includes(id);
/** A row, with a value for each round. */
const pairs = rows.filter(isChosen).map((row) => ({ row, before: [] as number[], after: [] as number[] }));
type Pair = (typeof pairs)[number];
const ofWire = pairs.filter(({ row }) => wireRows.includes(row));
const ofStore = options.env ? [] : pairs.filter(({ row }) => !wireRows.includes(row));

{
  await using before = await openStage({ tree: root });
  await using after = await openStage(options.env && { env: options.env });
  for (let round = 0; round <= options.rounds; round++) {
    for (const pair of ofWire) {
      await measurePair(pair, round, { before, after });
      process.stderr.write(`round ${round}: ${pair.row.id}\n`);
    }
    // They take a minute: a third of the rounds are enough.
    if (ofStore.length && round % 3 === 1) await measureStores(round);
    // So that an aborted run keeps its results.
    const where = `${commit(root)} beside ${inWords(seen)}`;
    if (options.save) await writeResult('before-after.md', `Measured on ${today()}: ${where}.\n\n${table()}`);
  }
}
process.stdout.write(`${table()}\n`);

interface Stages {
  readonly before: Stage;
  readonly after: Stage;
}

async function measurePair({ row, ...values }: Pair, round: number, stages: Stages): Promise<void> {
  const opened: Contest[] = [];
  const open = async (name: keyof Stages) => {
    const stage = stages[name];
    await (row.hasNoWorker ? stage.withoutWorker() : stage.withWorker());
    const contest = await row.open(stage);
    opened.push(contest);
    return { name, measure: async () => median([await contest.ours.measure()].flat()) };
  };
  const sides = [await open('before'), await open('after')];
  const measured = await inTurn(round % 2 ? sides.toReversed() : sides, row.isShort ? 3 : 1);
  if (round > 0) for (const name of ['before', 'after'] as const) values[name].push(...(measured[name] ?? []));
  for (const { close } of opened) await close?.();
  await Promise.all([stages.before.clear(), stages.after.clear()]);
}

async function measureStores(round: number): Promise<void> {
  const trees = { before: root, after: '.' } as const;
  for (const name of round % 2 ? (['before', 'after'] as const) : (['after', 'before'] as const)) {
    const cwd = resolve(trees[name]);
    const args = ['--rounds', '1', ...ofStore.map(({ row }) => row.id)];
    const program = await startProgram({ file: 'workshop/bench/run.ts', args, cwd });
    await program.exited;
    for (const pair of ofStore) pair[name].push(figureIn(program.output(), pair.row));
  }
}

/** This project's figure in the table that a tree's bench prints. */
function figureIn(output: string, { title, unit }: Row): number {
  const line = output.split('\n').find((one) => one.startsWith(`| ${title} |`));
  const [ours = ''] = line?.split(' | ')[1]?.split('<br>') ?? [];
  const figure = Number(ours.slice(0, -unit.length).trim().split(' ').at(-1)?.replaceAll(',', ''));
  if (!Number.isFinite(figure)) throw new Error(`no figure for "${title}" in\n${output}`);
  return figure;
}

function table(): string {
  const measured = pairs.filter(({ after }) => after.length > 0);
  return markdownTable(
    ['work', 'unit', 'before', 'after', 'after / before, median of the pairs', 'rounds'],
    measured.map(({ row: { title, unit }, before, after }) => [
      title,
      unit,
      median(before),
      median(after),
      ratio(after, before),
      after.length,
    ]),
  );
}
