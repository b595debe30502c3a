import { count, readCommandLine } from '../options.ts';
import { table } from './report/table.ts';
import { runSoak } from './soak/run-soak.ts';

/** Exit code 1 if the memory of anything grows by more than 5 % after its warm-up. */
const { options } = readCommandLine({
  usage: `npm run soak [-- options]
  Four minutes: how the memory of a gateway, a worker and Redis grows with that many tasks, in heaps of 256 MiB.`,
  options: {
    tasks: count({ what: 'in all', fallback: '200000' }),
    clients: count({ what: 'at the same time', fallback: '50' }),
  },
});
const MOST_GROWTH_PERCENT = 5;
const log = (line: string): void => void process.stderr.write(`${line}\n`);

const { samples, growth, perSecond } = await runSoak({
  tasks: options.tasks,
  clients: options.clients,
  log,
});
const [first, last] = [samples[0], samples.at(-1)];
const rows = Object.entries(growth).map(([what, percent]): [string, string] => [
  `growth of ${what} after the warm-up (bar ${MOST_GROWTH_PERCENT} %)`,
  `${percent.toFixed(1)} %`,
]);
const ends = `${JSON.stringify(first)}\n${JSON.stringify(last)}`;
process.stdout.write(`\n${table(`${last?.tasks} tasks, ${perSecond}/s, MiB at rest`, rows)}\n${ends}\n`);
if (Object.values(growth).some((percent) => percent > MOST_GROWTH_PERCENT)) process.exitCode = 1;
