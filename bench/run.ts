import { availableParallelism, cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { BenchCase, Figures } from './cases/bench-case.ts';
import { benchCases } from './cases/index.ts';
import { heldBars } from './report/bars.ts';
import { writeResults } from './report/results.ts';
import { tableRow } from './report/table.ts';
import { Stage } from './stage.ts';

/** npm run bench [-- --rounds <n>] [--save] [<case> …]: ours beside the peer and the limits, alternating in one run. */
const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, save: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const unknown = positionals.filter((id) => !benchCases.some((one) => one.id === id));
if (unknown.length) {
  process.stderr.write(`There is no case ${unknown.join(', ')}. Cases: ${benchCases.map(({ id }) => id).join(', ')}\n`);
  process.exit(2);
}
const chosen = benchCases.filter(({ id }) => !positionals.length || positionals.includes(id));

const conditions = {
  processors: availableParallelism(),
  processor: cpus()[0]?.model ?? 'unknown',
  node: process.version,
  rounds: Number(values.rounds),
  loadAtStart: loadavg()[0]?.toFixed(2),
};
process.stdout.write(`${JSON.stringify(conditions)}\n`);

async function measured(one: BenchCase, stage: Stage): Promise<{ id: string; title: string; figures: Figures }> {
  const figures = await one.run(stage, Number(values.rounds));
  process.stdout.write(`${tableRow(one.title, figures)}\n`);
  return { id: one.id, title: one.title, figures };
}

const results: Awaited<ReturnType<typeof measured>>[] = [];
{
  await using stage = await Stage.open();
  for (const one of chosen) {
    results.push(await measured(one, stage));
    if (values.save) await writeResults(conditions, results);
  }
}
const missed = results.filter(({ figures }) => !heldBars(figures).every(({ isHeld }) => isHeld));
process.stdout.write(
  missed.length ? `bars not held: ${missed.map(({ id }) => id).join(', ')}\n` : 'every bar is held\n',
);
