import { seriesSchema } from '@switchyard/operator-api';
import type { QueueSum, WorkerReading } from '@switchyard/operators';
import { Ops } from '@switchyard/operators';
import { expect, it, onTestFinished, vi } from 'vitest';
import { SeriesRecorder } from '../../src/admin/series.ts';
import { submit } from '../support/client.ts';
import { openAdminStage } from './support.ts';

const sum: QueueSum = { waiting: 0, active: 0, added: 0, began: 0, oldestWaitMs: 0, atMs: 0 };

const figures = { ended: 1, failed: 0, queueWaitP95Ms: 40, firstEventP95Ms: null };
const worker = { state: 'working', agents: ['echo'], since: '', lastHeartbeat: '', turns: [] } as const;
const workers: readonly WorkerReading[] = [
  { id: 'quick', ...worker, figures },
  { id: 'slow', ...worker, figures: { ...figures, queueWaitP95Ms: 90 } },
  { id: 'silent', ...worker, state: 'silent', figures: { ...figures, queueWaitP95Ms: 900 } },
  { id: 'older', ...worker },
];

/**
 * A recorder after its first reading of each sum, at one interval after the other. By Redis' clock, a second passes
 * between two.
 */
async function recorderOf(sums: readonly (QueueSum | undefined)[]): Promise<SeriesRecorder> {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  let n = 0;
  const queues = async (): Promise<QueueSum> => {
    const now = sums[n++];
    if (!now) throw new Error('Redis does not answer');
    return { ...now, atMs: 1_000 * n };
  };
  const sources = { queues, redisBytes: async () => 1_000_000, workers: async () => workers, openStreams: () => 3 };
  const recorder = new SeriesRecorder(sources);
  recorder.start();
  for (let read = 1; read < sums.length; read++) await vi.advanceTimersByTimeAsync(5_000);
  recorder.stop();
  return recorder;
}

it('the series have rates between two readings, and gaps while Redis does not answer', async () => {
  const busy = { ...sum, added: 50, began: 40, active: 10, waiting: 10, oldestWaitMs: 700 };
  const recorder = await recorderOf([sum, busy, undefined, busy, busy]);
  const { points } = recorder.read();
  const known = (name: keyof typeof points) => points[name].filter((value) => value !== null);
  expect(points.acceptedPerSecond).toEqual([null, 50, null, null, 0]);
  expect(points.endedPerSecond).toEqual([null, 30, null, null, 0]);
  expect(points.waiting).toEqual([0, 10, null, 10, 10]);
  expect(known('openStreams')).toContain(3);
  expect(new Set(known('queueWaitP95Ms'))).toEqual(new Set([90]));
  expect(known('firstEventP95Ms')).toEqual([]);
});

it('the series start at the requested time', async () => {
  const recorder = await recorderOf(Array.from({ length: 6 }, () => sum));
  const all = recorder.read();
  const later = recorder.read(all.fromMs + 3 * all.everyMs);
  expect(later.fromMs).toBe(all.fromMs + 3 * all.everyMs);
  expect(later.points.waiting).toEqual(all.points.waiting.slice(3));
  expect(recorder.read(Date.now() + 60_000).points.waiting).toEqual([]);
});

it('operators read the series of waiting jobs, and the agents with their cards', async () => {
  await using stage = await openAdminStage({ shards: 2 });
  await submit(stage.url);
  const { body } = await stage.ask('/admin/series');
  expect(seriesSchema.parse(body)).toEqual(body);
  expect(await new Ops(stage.store.forRequests(1_000)).queues()).toMatchObject({ waiting: 1, added: 1, began: 0 });
  const { body: list } = await stage.ask<{ agents: { id: string; name: string; beganPerSecond: number }[] }>(
    '/admin/agents',
  );
  expect(list.agents.find(({ id }) => id === 'echo')).toMatchObject({ name: 'Echo', beganPerSecond: 0 });
});
