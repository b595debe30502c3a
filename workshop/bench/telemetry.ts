// `npm run bench:telemetry`: what metrics and traces cost, in processor time of gateway and worker for each task, and in
// tasks per second. The same deployment several times, in short alternating rounds: a busy machine is busy for all.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { processorMicros } from '../../tests/support/process-usage.ts';
import { count, number, readCommandLine } from '../options.ts';
import { median, quantile } from '../statistics/quantile.ts';
import { markdownTable } from '../tables/tables.ts';
import { CALLERS, httpRate, sendBody } from './measure/drive.ts';
import { Scrapes } from './measure/scrapes.ts';
import { Stage } from './measure/stage.ts';

const { rounds, seconds } = readCommandLine({
  usage: `npm run bench:telemetry [-- options]
  Tasks are sent without waiting, and a round ends when the last one is completed.`,
  options: {
    rounds: count({ what: 'rounds of each that count', fallback: '30' }, 1),
    seconds: number({ what: 'how long tasks are sent in a round', fallback: '1' }, 0.2, 60),
  },
}).options;
const warmUps = 5;

interface Contender {
  readonly name: string;
  readonly stage: Stage;
  readonly microsPerTask: number[];
  readonly tasksPerSecond: number[];
}

await using parts = new AsyncDisposableStack();
const scrapes = parts.use(await Scrapes.begin());
const collector = createServer((request, response) => request.resume().on('end', () => response.end()));
const TRACES_URL = `http://127.0.0.1:${await listen(parts.adopt(collector, (server) => void server.close()))}/v1/traces`;
const traces = (share: string) => ({ TRACES: 'otlp', TRACES_URL, TRACES_SAMPLE: share });
const contenders: readonly Contender[] = [
  await open('off'),
  await open('off, once more'),
  await open('metrics, asked for every 5 s', scrapes.env),
  await open('traces of 1 %', traces('0.01')),
  await open('traces of all', traces('1')),
];
for (let round = -warmUps; round < rounds; round++)
  for (const contender of round % 2 ? contenders.toReversed() : contenders) await measure(contender, round >= 0);
process.stdout.write(`${table()}\n`);

async function open(name: string, env?: Readonly<Record<string, string>>): Promise<Contender> {
  return { name, stage: parts.use(await Stage.open(undefined, env)), microsPerTask: [], tasksPerSecond: [] };
}

async function measure({ stage, microsPerTask, tasksPerSecond }: Contender, isCounted: boolean): Promise<void> {
  const used = (): number => processorMicros(stage.gateway.pid) + processorMicros(stage.worker?.pid ?? Number.NaN);
  const [before, begun] = [used(), performance.now()];
  const body = sendBody('done', true);
  const tasks = seconds * (await httpRate({ url: stage.gateway.url, body, connections: CALLERS, seconds }));
  const sent = performance.now();
  await stage.untilFinished();
  if (isCounted) {
    microsPerTask.push((used() - before) / tasks);
    tasksPerSecond.push(tasks / (seconds + (performance.now() - sent) / 1_000));
  }
  process.stderr.write(`${((performance.now() - begun) / 1_000).toFixed(1)} s\n`);
  await stage.clear();
}

/** Beside the first: median of the pairs, and their quartiles. */
function table(): string {
  const [off] = contenders;
  const beside = (own: readonly number[], theirs: readonly number[] = []): string => {
    const ratios = own.map((value, i) => value / (theirs[i] ?? Number.NaN));
    const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(ratios, share).toFixed(3));
    return `${middle} (${low} to ${high})`;
  };
  const rows = contenders.map(({ name, microsPerTask, tasksPerSecond }) => [
    name,
    median(microsPerTask),
    beside(microsPerTask, off?.microsPerTask),
    median(tasksPerSecond),
    beside(tasksPerSecond, off?.tasksPerSecond),
  ]);
  return markdownTable(['', 'µs per task', 'beside off', 'tasks/s', 'beside off'], rows);
}

function listen(server: Server): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  return promise;
}
