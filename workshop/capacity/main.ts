import { readFile, writeFile } from 'node:fs/promises';
import { readCommandLine } from '../options.ts';
import { measure } from './measure/measure.ts';
import { withTables } from './report.ts';

readCommandLine({
  usage: `npm run capacity
  Two minutes, on a machine that does nothing else: measures what each operation costs gateway, worker and Redis,
  and writes workshop/bench/results/capacity.json and the measured tables of docs/scaling.md.`,
  options: {},
});
const figures = await measure((line) => void process.stderr.write(`${line}\n`));
const page = new URL('../../docs/scaling.md', import.meta.url);
await writeFile(
  new URL('../bench/results/capacity.json', import.meta.url),
  `${JSON.stringify(figures, undefined, 1)}\n`,
);
await writeFile(page, withTables(await readFile(page, 'utf8'), figures));
process.stdout.write('workshop/bench/results/capacity.json and the measured tables of docs/scaling.md are written\n');
