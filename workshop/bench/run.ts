import { count, flag, readCommandLine } from '../options.ts';
import { markdownRow, markdownTable } from '../tables.ts';
import { ratioChart } from './charts.ts';
import { measureRow, type Result } from './measure.ts';
import { conditions, heldBars, tableHead, tableRow, today, writeResult } from './report.ts';
import { rows } from './rows/index.ts';
import { Stage } from './stage.ts';

/** This project, its peers and the limits, alternating in one run. */
const ids = rows.map(({ id }) => id);
const { options, names } = readCommandLine({
  usage: `npm run bench [-- options] [row …]
  Fifteen minutes for all rows: ${ids.join(', ')}`,
  options: { rounds: count('rounds of each row', '5'), save: flag('write workshop/bench/results') },
  names: ids,
});
const { rounds, save } = options;
const chosen = rows.filter(({ id }) => !names.length || names.includes(id));
const seen = conditions({ rounds });
process.stdout.write(`${JSON.stringify(seen)}\n`);

const results: Result[] = [];
{
  await using stage = await Stage.open();
  for (const row of chosen) {
    const result = await measureRow(row, stage, rounds);
    process.stdout.write(`${markdownRow(tableRow(result))}\n`);
    results.push(result);
    if (!save) continue;
    // Every round, and beside it the table and the picture that the documents show.
    await writeResult(`${today()}.json`, { date: today(), conditions: seen, results });
    await writeResult('latest.md', markdownTable(tableHead, results.map(tableRow)));
    await writeResult('latest.svg', ratioChart(results));
  }
}
const missed = results.filter(({ figures }) => !heldBars(figures).every(({ isHeld }) => isHeld));
process.stdout.write(
  missed.length ? `bars not held: ${missed.map(({ id }) => id).join(', ')}\n` : 'every bar is held\n',
);
