// `npm run workshop capacity`: all measurements one after the other, so that they do not disturb each other.

import { readFile, writeFile } from 'node:fs/promises';
import { conditions, today, writeResult } from '../bench/report.ts';
import { openStage } from '../bench/stage.ts';
import { flag, readCommandLine } from '../options.ts';
import { type Figures, withTables } from './figures.ts';
import { full, short } from './measure/effort.ts';
import { measureIdle } from './measure/idle.ts';
import { info } from './measure/meter.ts';
import { measureOperations } from './measure/operations.ts';
import { measurePublications } from './measure/publications.ts';
import { measureSizes } from './measure/sizes.ts';

const { save, short: isShort } = readCommandLine({
  usage: `npm run workshop capacity [-- options]
  Two minutes, on a machine that does nothing else: measures what each operation costs gateway, worker and Redis.`,
  options: {
    save: flag('write workshop/bench/results/capacity.json and the measured tables of docs/scaling.md'),
    short: flag('only show that everything can be measured: the figures are noise'),
  },
}).options;
if (save && isShort) throw new Error('a short run measures nothing that should be saved');
const effort = isShort ? short : full;
const figures = asWritten(await measure());
if (save) {
  const page = new URL('../../docs/scaling.md', import.meta.url);
  await writeResult('capacity.json', figures);
  await writeFile(page, withTables(await readFile(page, 'utf8'), figures));
}

async function measure(): Promise<Figures> {
  await using stage = await openStage();
  // A file that is rewritten in between cannot be measured.
  await stage.redis.config('SET', 'auto-aof-rewrite-percentage', '0');
  const redis = /redis_version:(\S+)/.exec(await info(stage.redis))?.[1] ?? 'unknown';
  const seen = conditions({ redis });
  const operations = await step('operations', () => measureOperations(stage, effort));
  const { idle, sizes } = await step('idle', () => measureIdle(stage, effort));
  const kept = await step('sizes', () => measureSizes(stage));
  const publications = await step('publications', () => measurePublications(effort));
  return { date: today(), conditions: seen, operations, idle, sizes: { ...sizes, ...kept }, publications };
}

async function step<T>(what: string, act: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const result = await act();
  const seconds = Math.round((performance.now() - begun) / 1_000);
  process.stderr.write(`${what}: ${JSON.stringify(result)} (${seconds} s)\n`);
  return result;
}

/**
 * With three significant digits, the accuracy of the measurements. A negative difference of two measurements is noise.
 */
function asWritten<T>(content: T): T {
  const rounded = (_: string, value: unknown): unknown =>
    typeof value === 'number' ? Math.max(0, Number.isInteger(value) ? value : Number(value.toPrecision(3))) : value;
  return JSON.parse(JSON.stringify(content, rounded));
}
