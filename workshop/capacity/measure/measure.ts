import { availableParallelism, cpus, loadavg } from 'node:os';
import { Stage } from '../../bench/measure/stage.ts';
import type { Cost, Figures } from './figures.ts';
import { measureIdle } from './idle.ts';
import { atLeastNothing, info } from './meter.ts';
import { measureOperations } from './operations.ts';
import { measurePublications } from './publications.ts';
import { measureSizes } from './sizes.ts';

/** Everything, one after the other, so that nothing disturbs what is measured: about a minute and a half. */
export async function measure(say: (line: string) => void): Promise<Figures> {
  const loadAtStart = loadavg()[0]?.toFixed(2) ?? '';
  await using stage = await Stage.open();
  // A file that is rewritten in between cannot be measured.
  await stage.redis.config('SET', 'auto-aof-rewrite-percentage', '0');
  const step = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
    const begun = performance.now();
    const result = await act();
    say(`${what}: ${JSON.stringify(result)} (${Math.round((performance.now() - begun) / 1_000)} s)`);
    return result;
  };
  const operations = await step('operations', () => measureOperations(stage));
  const { idle, sizes } = await step('idle', () => measureIdle(stage));
  const kept = await step('sizes', () => measureSizes(stage));
  const publications = await step('publications', measurePublications);
  const redis = /redis_version:(\S+)/.exec(await info(stage.redis))?.[1] ?? 'unknown';
  return asWritten({
    date: new Date().toISOString().slice(0, 10),
    conditions: {
      processors: availableParallelism(),
      processor: cpus()[0]?.model ?? 'unknown',
      node: process.version,
      redis,
      loadAtStart,
    },
    operations: cleaned(operations),
    idle: cleaned(idle),
    sizes: { ...sizes, ...kept },
    publications,
  });
}

function cleaned<Name extends string>(costs: Readonly<Record<Name, Cost>>): Record<Name, Cost> {
  const entries = Object.entries<Cost>(costs).map(([name, cost]) => [name, atLeastNothing(cost)]);
  return Object.fromEntries(entries);
}

/** With three digits that matter: no more were measured. */
function asWritten<T>(content: T): T {
  const rounded = (_: string, value: unknown): unknown =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(3)) : value;
  return JSON.parse(JSON.stringify(content, rounded));
}
