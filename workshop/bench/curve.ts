// `npm run bench:curve`: tasks per second with 1 to 256 callers, beside what else one could run.

import { readFile, writeFile } from 'node:fs/promises';
import { count, flag, readCommandLine } from '../options.ts';
import { markdownRow, withSection } from '../tables.ts';
import { type Curve, curveChart, curveTable, shortCurveTable } from './charts.ts';
import { measureRow, type Result, together } from './measure.ts';
import { conditions, tableRow, today, writeResult } from './report.ts';
import { curveRows } from './rows/send.ts';
import { Stage } from './stage.ts';

const { passes, rounds, minutes, save } = readCommandLine({
  usage: `npm run bench:curve [-- options]
  Eleven minutes. The points are measured one after the other, several times, so that no hour favours one of them.`,
  options: {
    passes: count('passes over all points', '4', ['1']),
    rounds: count('rounds of each point in a pass', '2', ['1']),
    minutes: count('no pass begins that would end later', '11', ['1']),
    save: flag('write workshop/bench/results/curve.*, and the tables of docs/performance.md and the README'),
  },
}).options;

const seen = conditions();
const results = new Map<string, Result>();
const begun = performance.now();
const minutesSince = (start: number): number => (performance.now() - start) / 60_000;
{
  await using stage = await Stage.open();
  for (let pass = 1, longest = 0; pass <= passes && minutesSince(begun) + longest <= minutes; pass++) {
    const start = performance.now();
    for (const row of curveRows) {
      const result = together(row, results.get(row.id), await measureRow(row, stage, rounds));
      results.set(row.id, result);
      process.stdout.write(`${markdownRow(tableRow(result))}\n`);
    }
    longest = Math.max(longest, minutesSince(start));
    await report(pass * rounds);
  }
}

/** Written after each pass, so that an aborted run keeps its results. */
async function report(rounds: number): Promise<void> {
  const curve: Curve = { date: today(), conditions: { ...seen, rounds }, results: [...results.values()] };
  process.stdout.write(`\n${curveTable(curve)}\n\n`);
  if (!save) return;
  await writeResult('curve.json', curve);
  await writeResult('curve.svg', curveChart(curve));
  for (const [file, content] of [
    ['docs/performance.md', curveTable(curve)],
    ['README.md', shortCurveTable(curve)],
  ] as const) {
    const page = new URL(`../../${file}`, import.meta.url);
    await writeFile(page, withSection(await readFile(page, 'utf8'), 'curve', content));
  }
}
