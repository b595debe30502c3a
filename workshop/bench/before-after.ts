// `npm run workshop before-after -- --tree <checkout>`: the rows of another checkout and of this one in alternating
// rounds.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startArchiveAndFiles } from '../../tests/support/archive-and-files.ts';
import { startProgram } from '../../tests/support/process.ts';
import { count, flag, readCommandLine, settings, time, word } from '../options.ts';
import { median } from '../statistics.ts';
import { markdownRow, markdownTable } from '../tables.ts';
import { repeated, whileCopying } from './copying.ts';
import { type Contender, type Contest, measureRow, type Result, type Row } from './measure.ts';
import { commit, conditions, inWords, tableHead, tableRow, today, writeResult } from './report.ts';
import { rows, wireRows } from './rows/index.ts';
import { openStage } from './stage.ts';

const ids = rows.map(({ id }) => id);
const { options, names } = readCommandLine({
  usage: `npm run workshop before-after -- --tree <checkout> [options] [row …]
  Ours alone, without peers. The gateway, worker and agent of both trees get the same load from the same generator, in
  turn, after a round to warm up. Rows inside of a process (list, memory, append, read), or with a gateway of their own
  (send-with), are measured by the bench of each tree. What a setting costs: the same checkout twice, --tree . --env …;
  those rows are left out then. What an archive and files cost: --tree . --archive; their worker copies ended tasks in
  each round and rests, as in production, and "seen" has how many it copies. Of GetTask, streams, one and 64 callers:
  --tree . --archive get-task eight-streams curve-blocking-1 curve-blocking-64. Rows: ${ids.join(', ')}`,
  options: {
    tree: word('<folder>', 'the other checkout, with its node_modules', [/./, 'a folder']),
    rounds: count('rounds of each row', '6', ['1']),
    env: settings('settings of this checkout only'),
    archive: flag('this checkout only has an archive, whose worker copies all the while, and files'),
    roundMs: time('of a round with --archive, at least: the worker rests for seconds', '10s', ['1s', '10m']),
    save: flag('write workshop/bench/results/before-after.md'),
  },
  names: ids,
});
const root = resolve(process.env.INIT_CWD ?? '.', options.tree ?? '');
if (!options.tree || !existsSync(join(root, 'node_modules'))) {
  process.stderr.write(`--tree ${root}: name a checkout in which npm install was run\n`);
  process.exit(2);
}

const isOfWire = (row: Row): boolean => wireRows.includes(row);
const chosen = rows
  .filter((row) => !names.length || names.includes(row.id))
  .filter((row) => !(options.env || options.archive) || isOfWire(row));
const where = `${commit(root)} beside ${inWords(conditions())}`;
const results: Result[] = [];
await using before = await openStage({ tree: root });
await using stores = options.archive ? await startArchiveAndFiles() : undefined;
// As in production: the bench lasts longer than the short retention of tests.
const { RETENTION_MS: _, ...archived } = stores?.env ?? {};
await using after = await openStage({ env: { ...archived, ...options.env } });
for (const row of chosen) {
  const result = await measureRow(isOfWire(row) ? onBoth(row) : byEachBench(row), after, options.rounds);
  process.stdout.write(`${markdownRow(tableRow(result))}\n`);
  results.push(result);
  const table = markdownTable(tableHead, results.map(tableRow));
  if (options.save) await writeResult('before-after.md', `Measured on ${today()}: ${where}.\n\n${table}`);
}

/** The row with the other tree as its only peer. */
function onBoth({ share: _, ...row }: Row): Row {
  const contender = (name: string, { ours }: Contest): Contender => ({
    name,
    measure: async () => median([await ours.measure()].flat()),
  });
  const { ARCHIVE_URL: archiveUrl } = archived;
  const copies = archiveUrl !== undefined && !row.hasNoWorker;
  const measured = copies ? repeated(row, options.roundMs) : row;
  return {
    ...measured,
    bars: [],
    warmUps: Math.max(1, measured.warmUps ?? (measured.isShort ? 3 : 1)),
    async open(stage) {
      await (row.hasNoWorker ? before.withoutWorker() : before.withWorker());
      const [own, other] = [await measured.open(stage), await measured.open(before)];
      const close = async (): Promise<void> => {
        stage.worker?.kill('SIGCONT');
        for (const contest of [own, other]) await contest.close?.();
        await before.clear();
      };
      const notes: Record<string, number> = {};
      const ours = contender('after', own);
      return {
        ours: copies ? await whileCopying(ours, { stage, archiveUrl, notes }) : ours,
        others: [contender('before', other)],
        notes,
        close,
      };
    },
  };
}

/** They take half a minute each: two rounds are enough. */
function byEachBench(row: Row): Row {
  const contender = (name: string, cwd: string): Contender => ({
    name,
    async measure() {
      const args = ['--rounds', '1', row.id];
      const program = await startProgram({ file: 'workshop/bench/run.ts', args, cwd });
      await program.exited;
      return figureIn(program.output(), row);
    },
  });
  const contest = { ours: contender('after', resolve('.')), others: [contender('before', root)] };
  return { ...row, bars: [], isShort: false, warmUps: 0, mostRounds: 2, open: () => contest };
}

/** This project's figure in the table of an older tree's bench, which prints nothing else. */
function figureIn(output: string, { title, unit }: Row): number {
  const line = output.split('\n').find((one) => one.startsWith(`| ${title} |`));
  const [ours = ''] = line?.split(' | ')[1]?.split('<br>') ?? [];
  const figure = Number(ours.slice(0, -unit.length).trim().split(' ').at(-1)?.replaceAll(',', ''));
  if (!Number.isFinite(figure)) throw new Error(`no figure for "${title}" in\n${output}`);
  return figure;
}
