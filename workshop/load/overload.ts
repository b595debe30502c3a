// `npm run overload`: ten times as many messages as the workers can do. What is taken must be answered about as fast as
// ever, what is refused at once, and nothing that was taken may be lost.

import { count, readCommandLine } from '../options.ts';
import { textTable } from '../tables/tables.ts';
import { measureOverload, type Phase } from './measure/overload.ts';

const { seconds } = readCommandLine({
  usage: 'npm run overload [-- options]',
  options: { seconds: count({ what: 'of overload, after a third as many of normal load', fallback: '60' }, 3, 3_600) },
}).options;

const ms = (value: number | undefined): string => (value === undefined ? '–' : `${value.toFixed(1)} ms`);
const row = (name: string, { rate, taken, refused, others }: Phase): string[] => [
  name,
  `${rate}/s`,
  `${taken.count}`,
  ms(taken.at(50)),
  ms(taken.at(99)),
  `${refused.count}`,
  ms(refused.at(50)),
  ms(refused.at(99)),
  JSON.stringify(others),
];

const { normal, overload, lost } = await measureOverload({ normalMs: seconds * 333, overloadMs: seconds * 1_000 });
const columns = ['', 'came', 'taken', 'p50', 'p99', 'refused', 'p50', 'p99', 'others'];
process.stdout.write(`${textTable(columns, [row('normal', normal), row('overload', overload)])}\nlost: ${lost}\n`);
const isHeld =
  lost === 0 &&
  (overload.taken.at(99) ?? Infinity) <= 3 * (normal.taken.at(99) ?? 0) &&
  (overload.refused.at(99) ?? Infinity) < 50;
process.stdout.write(
  isHeld ? 'held\n' : 'not held: p99 at most 3 times the normal one, refused within 50 ms, none lost\n',
);
process.exitCode = isHeld ? 0 : 1;
process.exitCode = isHeld ? 0 : 1;
