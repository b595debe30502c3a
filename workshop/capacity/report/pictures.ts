import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exactAxis, linearAxis, spreadAxis } from '../../bench/charts/axis.ts';
import { lineChart, type Point } from '../../bench/charts/line-chart.ts';
import type { Second } from '../simulation/history.ts';

/** capacity-accept.svg and capacity-workers.svg: a simulation, second by second. */
export async function writePictures(folder: string, seconds: readonly Second[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'capacity-accept.svg'), acceptPicture(seconds));
  await writeFile(join(folder, 'capacity-workers.svg'), workersPicture(seconds));
}

function acceptPicture(seconds: readonly Second[]): string {
  const times = (value: (second: Second) => number | undefined): Point[] =>
    seconds.map((second) => [second.at, value(second)]);
  const p99 = times(({ acceptP99 }) => acceptP99 && acceptP99 * 1_000);
  const p50 = times(({ acceptP50 }) => acceptP50 && acceptP50 * 1_000);
  const all = [...p50, ...p99].flatMap(([, y]) => (y === undefined ? [] : [y]));
  return lineChart({
    title: 'Simulated: accepting a message',
    x: exactAxis(
      'seconds',
      seconds.map(({ at }) => at),
    ),
    y: spreadAxis('milliseconds', all),
    series: [
      { name: 'p50', points: p50 },
      { name: 'p99', points: p99 },
    ],
  });
}

function workersPicture(seconds: readonly Second[]): string {
  const waiting = seconds.map((second): Point => [second.at, second.waiting]);
  const active = seconds.map((second): Point => [second.at, second.active]);
  const places = seconds.map((second): Point => [second.at, second.places]);
  const all = seconds.flatMap((second) => [second.waiting, second.active, second.places]);
  return lineChart({
    title: 'Simulated: jobs and workers',
    x: exactAxis(
      'seconds',
      seconds.map(({ at }) => at),
    ),
    y: linearAxis('jobs', all),
    series: [
      { name: 'jobs that wait', points: waiting },
      { name: 'jobs that run', points: active },
      { name: 'places of all workers', points: places, look: 'meant' },
    ],
  });
}
