import { availableParallelism, cpus, loadavg } from 'node:os';
import { count, flag, readCommandLine } from '../options.ts';
import type { BenchCase, Figures } from './cases/bench-case.ts';
import { benchCases } from './cases/index.ts';
import { heldBars } from './report/bars.ts';
import { writeResults } from './report/results.ts';
import { tableRow } from './report/table.ts';
import { Stage } from './stage.ts';

/** Ours beside the peer and the limits, alternating in one run. */
const ids = benchCases.map(({ id }) => id);
const { options, names } = readCommandLine({
  usage: `npm run bench [-- options] [case …]
  Ten minutes for all cases: ${ids.join(', ')}`,
  options: { rounds: count({ what: 'of each case', fallback: '5' }), save: flag('write workshop/bench/results') },
  names: ids,
});
const { rounds } = options;
const chosen = benchCases.filter(({ id }) => !names.length || names.includes(id));

const conditions = {
  processors: availableParallelism(),
  processor: cpus()[0]?.model ?? 'unknown',
  node: process.version,
  rounds,
  loadAtStart: loadavg()[0]?.toFixed(2),
};
process.stdout.write(`${JSON.stringify(conditions)}\n`);

async function measured(one: BenchCase, stage: Stage): Promise<{ id: string; title: string; figures: Figures }> {
  const figures = await one.run(stage, rounds);
  process.stdout.write(`${tableRow(one.title, figures)}\n`);
  return { id: one.id, title: one.title, figures };
}

const results: Awaited<ReturnType<typeof measured>>[] = [];
{
  await using stage = await Stage.open();
  for (const one of chosen) {
    results.push(await measured(one, stage));
    if (options.save) await writeResults(conditions, results);
  }
}
const missed = results.filter(({ figures }) => !heldBars(figures).every(({ isHeld }) => isHeld));
process.stdout.write(
  missed.length ? `bars not held: ${missed.map(({ id }) => id).join(', ')}\n` : 'every bar is held\n',
);
