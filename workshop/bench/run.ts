import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { count, flag, readCommandLine } from '../options.ts';
import { markdownRow, markdownTable } from '../tables/markdown.ts';
import { benchCases } from './cases/index.ts';
import { Stage } from './measure/stage.ts';
import { ratioChart } from './report/chart.ts';
import { heldBars, type Result, tableHead, tableRow } from './report/table.ts';

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

const results: Result[] = [];
{
  await using stage = await Stage.open();
  for (const { id, title, run } of chosen) {
    const result: Result = { id, title, figures: await run(stage, rounds) };
    process.stdout.write(`${markdownRow(tableRow(result))}\n`);
    results.push(result);
    if (options.save) await writeResults();
  }
}
const missed = results.filter(({ figures }) => !heldBars(figures).every(({ isHeld }) => isHeld));
process.stdout.write(
  missed.length ? `bars not held: ${missed.map(({ id }) => id).join(', ')}\n` : 'every bar is held\n',
);

/** bench/results/<date>.json with every round, and beside it the table and the picture that the documents show. */
async function writeResults(): Promise<void> {
  const folder = new URL('results/', import.meta.url);
  const date = new Date().toISOString().slice(0, 10);
  await writeFile(new URL(`${date}.json`, folder), `${JSON.stringify({ date, conditions, results }, null, 1)}\n`);
  await writeFile(new URL('latest.md', folder), `${markdownTable(tableHead, results.map(tableRow))}\n`);
  await writeFile(new URL('latest.svg', folder), ratioChart(results));
}
