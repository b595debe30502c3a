// `npm run bench`: this project, its peers and the limits, in alternating rounds of one run. `npm run workshop curve`:
// the rows of the curve in several passes, so that disturbances affect all of them.

import { readFile, writeFile } from 'node:fs/promises';
import { count, flag, readCommandLine } from '../options.ts';
import { markdownRow, markdownTable, withSection } from '../tables.ts';
import { type Curve, curveChart, curveTable, ratioChart, shortCurveTable } from './charts.ts';
import { measureRow, type Result, type Row, together } from './measure.ts';
import { conditions, heldBars, tableHead, tableRow, today, writeResult } from './report.ts';
import { rows } from './rows/index.ts';
import { missingPeers, pythonRows } from './rows/python.ts';
import { curveRows } from './rows/send.ts';
import { openStage } from './stage.ts';

const ids = rows.map(({ id }) => id);
const { options, names } = readCommandLine({
  usage: `npm run bench [-- options] [row …]
  Fifteen minutes for all rows: ${ids.join(', ')}; eleven for
  \`npm run workshop curve\`, which has \`curve\`, all points of 1 to 256 callers. \`python\` compares with the SDK for
  Python, which comes from PyPI, and needs PostgreSQL.`,
  options: {
    rounds: count('rounds of each row in a pass', '5'),
    passes: count('passes over all rows', '1', ['1']),
    minutes: count('no pass begins that would end later', '60', ['1']),
    save: flag('write workshop/bench/results; of the curve also the tables of docs/performance.md and the README'),
  },
  names: ['curve', 'python', ...pythonRows.map(({ id }) => id), ...ids],
});
const { rounds, passes, minutes, save } = options;
const isCurve = names.includes('curve');
const chosen = isCurve ? curveRows : [...rows.filter(({ id }) => !names.length || names.includes(id)), ...others()];
const seen = conditions();
process.stdout.write(`${JSON.stringify({ ...seen, rounds })}\n`);
const results = new Map<string, Result>();
const begun = performance.now();
const minutesSince = (start: number): number => (performance.now() - start) / 60_000;
{
  await using stage = await openStage();
  for (let pass = 1, longest = 0; pass <= passes && minutesSince(begun) + longest <= minutes; pass++) {
    const start = performance.now();
    for (const row of chosen) {
      const result = together(row, results.get(row.id), await measureRow(row, stage, rounds));
      results.set(row.id, result);
      process.stdout.write(`${markdownRow(tableRow(result))}\n`);
      if (save && !isCurve) await saveTable();
    }
    longest = Math.max(longest, minutesSince(start));
    // After each pass, so that an aborted run keeps its results.
    if (isCurve) await reportCurve({ date: today(), conditions: { ...seen, rounds: pass * rounds }, results: all() });
  }
}
const missed = all().filter(({ figures }) => !heldBars(figures).every(({ isHeld }) => isHeld));
process.stdout.write(
  missed.length ? `bars not held: ${missed.map(({ id }) => id).join(', ')}\n` : 'every bar is held\n',
);

/** Rows that are measured only if they are named, and not where their peers are missing. */
function others(): readonly Row[] {
  const named = pythonRows.filter(({ id }) => names.includes('python') || names.includes(id));
  if (named.length === 0) return [];
  if (missingPeers) process.stdout.write(`python: skipped, ${missingPeers}\n`);
  return missingPeers ? [] : named;
}

function all(): Result[] {
  return [...results.values()];
}

/** Writes every round, and the table and picture of the documents. */
async function saveTable(): Promise<void> {
  const measured = { date: today(), conditions: { ...seen, rounds }, results: all() };
  await writeResult(`${today()}.json`, measured);
  await writeResult('latest.md', markdownTable(tableHead, all().map(tableRow)));
  await writeResult('latest.svg', ratioChart(all()));
}

async function reportCurve(curve: Curve): Promise<void> {
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
