import type { Redis } from 'ioredis';
import { httpRate, sendBody } from '../drive.ts';
import { openLean } from '../lean.ts';
import { atMost, type Row } from '../measure.ts';
import type { Stage } from '../stage.ts';

/** What one task costs Redis: accepted, taken and completed, beside the least that any durable queue would write. */
const OURS = 'Switchyard';
const LEAN = 'lean scripts';
const SECONDS = 3;
const LEAN_TASKS = 1_000;
/** Commands that stand in no script: the time of those in scripts is in that of EVALSHA. */
const OUTSIDE = new Set(['evalsha', 'eval', 'bzpopmin', 'subscribe', 'unsubscribe', 'ssubscribe', 'sunsubscribe']);

interface Spent {
  /** In commands, scripts included. */
  readonly micros: number;
  /** Those in scripts included. */
  readonly commands: number;
  readonly bytes: number;
}

async function spent(redis: Redis): Promise<Spent> {
  const all = await redis.info('commandstats');
  const counts = Array.from(
    all.matchAll(/^cmdstat_([^:|]+)[^:]*:calls=(\d+),usec=(\d+)/gm),
    ([, name, calls, usec]) => ({
      name: name ?? '',
      calls: Number(calls),
      micros: Number(usec),
    }),
  );
  const scripts = counts.filter(({ name }) => OUTSIDE.has(name));
  const bytes = Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
  const sum = (of: readonly number[]): number => of.reduce((one, other) => one + other, 0);
  return { micros: sum(scripts.map(({ micros }) => micros)), commands: sum(counts.map(({ calls }) => calls)), bytes };
}

export const taskCostRows: readonly Row[] = [
  { id: 'task-cost', title: 'one caller, immediate', isImmediate: true, callers: 1, most: 2 },
  { id: 'task-cost-waiting', title: 'one caller who waits', isImmediate: false, callers: 1, most: 2.5 },
  { id: 'task-cost-many', title: '64 callers, immediate', isImmediate: true, callers: 64, most: 1.2 },
].map(({ id, title, isImmediate, callers, most }) => ({
  id,
  title: `What one task costs Redis (accepted, taken, completed), ${title}`,
  unit: 'µs in Redis',
  bars: [atMost(most, LEAN)],
  warmUps: 1,
  async open(stage: Stage) {
    const { redis, gateway } = stage;
    const notes: Record<string, number> = {};
    const lean = await openLean(redis);
    const measured = async (name: string, run: () => Promise<number>): Promise<number> => {
      const before = await spent(redis);
      const tasks = await run();
      const after = await spent(redis);
      notes[`${name}, commands`] = Number(((after.commands - before.commands) / tasks).toFixed(1));
      notes[`${name}, bytes kept`] = Math.round((after.bytes - before.bytes) / tasks);
      await stage.clear();
      return (after.micros - before.micros) / tasks;
    };
    const load = { url: gateway.url, body: sendBody('done', isImmediate), connections: callers, seconds: SECONDS };
    const ours = async (): Promise<number> => {
      const tasks = (await httpRate(load)) * SECONDS;
      await stage.untilFinished();
      return tasks;
    };
    const bare = async (): Promise<number> => {
      await lean.run(LEAN_TASKS);
      return LEAN_TASKS;
    };
    return {
      ours: { name: OURS, measure: () => measured(OURS, ours) },
      others: [{ name: LEAN, measure: () => measured(LEAN, bare) }],
      notes,
    };
  },
}));
