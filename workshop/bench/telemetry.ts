// `npm run bench:telemetry`: what metrics and traces cost, in processor time of gateway and worker for each task, and in
// tasks per second. The same deployment several times, in short rounds of random order: a busy machine is busy for all.
// All of them are started anew several times, since two processes of the same program differ by a few percent for good.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '@switchyard/local';
import { userMessage } from '../../tests/support/messages.ts';
import { processorMicros } from '../../tests/support/process-usage.ts';
import { count, readCommandLine } from '../options.ts';
import { median, quantile, SeededRandom } from '../statistics.ts';
import { markdownTable } from '../tables.ts';
import { Stage } from './stage.ts';

const { starts, rounds, tasks } = readCommandLine({
  usage: `npm run bench:telemetry [-- options]
  Tasks are sent without waiting, and a round ends when the last one is completed. The deployment without metrics and
  traces is there twice: what the two differ by is noise.`,
  options: {
    starts: count('how often all are started', '7', ['1']),
    rounds: count('rounds of each that count, for each start', '16', ['4']),
    tasks: count('tasks of a round', '1000', ['1']),
  },
}).options;
const callers = 32;
const warmUps = 6;
const random = new SeededRandom(1);

const names = ['neither', 'neither, once more', 'metrics, read every 5 s', 'traces of 1 %'] as const;
type Name = (typeof names)[number];

interface Contender {
  readonly name: Name;
  readonly stage: Stage;
  readonly microsPerTask: number[];
  readonly tasksPerSecond: number[];
}

/** Of one start: what others do on the machine only adds, so the best quartile of the rounds says the most. */
interface Figures {
  readonly microsPerTask: number;
  readonly tasksPerSecond: number;
}

const figures: Readonly<Record<Name, Figures>>[] = [];
for (let start = 0; start < starts; start++) {
  figures.push(await measureStart());
  process.stderr.write(`start ${start + 1} of ${starts}\n${table()}\n`);
}
process.stdout.write(`${table()}\n`);

async function measureStart(): Promise<Readonly<Record<Name, Figures>>> {
  await using parts = new AsyncDisposableStack();
  const metrics = await metricsSettings();
  const collector = createServer((request, response) => request.resume().on('end', () => response.end()));
  const port = await listen(parts.adopt(collector, (server) => void server.close()));
  const traces = { TRACES: 'otlp', TRACES_URL: `http://127.0.0.1:${port}/v1/traces`, TRACES_SAMPLE: '0.01' };
  const settings = { 'metrics, read every 5 s': metrics, 'traces of 1 %': traces };
  const contenders: Contender[] = [];
  for (const name of shuffled(names)) {
    const env = name in settings ? settings[name as keyof typeof settings] : {};
    contenders.push({ name, stage: parts.use(await Stage.open({ env })), microsPerTask: [], tasksPerSecond: [] });
  }
  parts.use(scrape(metrics));
  for (let round = -warmUps; round < rounds; round++)
    for (const contender of shuffled(contenders)) await measure(contender, round >= 0);
  const best = ({ name, microsPerTask, tasksPerSecond }: Contender): [Name, Figures] => [
    name,
    { microsPerTask: quantile(microsPerTask, 0.25), tasksPerSecond: quantile(tasksPerSecond, 0.75) },
  ];
  return Object.fromEntries(contenders.map(best)) as Record<Name, Figures>;
}

function shuffled<T>(all: readonly T[]): T[] {
  return all
    .map((one) => ({ one, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

async function measure({ stage, microsPerTask, tasksPerSecond }: Contender, isCounted: boolean): Promise<void> {
  const used = (): number => processorMicros(stage.gateway.pid) + processorMicros(stage.worker?.pid ?? 0);
  const [before, begun] = [used(), performance.now()];
  let left = tasks;
  const send = async (): Promise<void> => {
    while (left-- > 0) await sendTask(stage.gateway.url);
  };
  await Promise.all(Array.from({ length: callers }, send));
  await stage.untilFinished();
  if (isCounted) {
    microsPerTask.push((used() - before) / tasks);
    tasksPerSecond.push((tasks / (performance.now() - begun)) * 1_000);
  }
  await stage.clear();
}

async function sendTask(url: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
  const body = JSON.stringify({ message: userMessage('done'), configuration: { returnImmediately: true } });
  const response = await fetch(`${url}/message:send`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(await response.text());
  await response.arrayBuffer();
}

/** With these a gateway and a worker have metrics. */
async function metricsSettings() {
  const [admin, worker] = [await freePort(), await freePort()];
  const [ADMIN_KEY, METRICS_KEY] = ['a-key-for-the-bench', 'a-key-for-its-metrics'];
  return { ADMIN_PORT: `${admin}`, ADMIN_KEY, METRICS_PORT: `${worker}`, METRICS_KEY };
}

/** Asks for them every five seconds, as Prometheus does. */
function scrape({ ADMIN_PORT, METRICS_PORT, METRICS_KEY }: Awaited<ReturnType<typeof metricsSettings>>): Disposable {
  const accept = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3';
  const headers = { accept, authorization: `Bearer ${METRICS_KEY}` };
  const read = async (port: string): Promise<void> => {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers });
    await response.text();
    if (!response.ok) throw new Error(`port ${port} refused its metrics: ${response.status}`);
  };
  const timer = setInterval(() => {
    for (const port of [ADMIN_PORT, METRICS_PORT]) void read(port);
  }, 5_000).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Medians over the starts; beside neither, also the least and the most. */
function table(): string {
  const beside = (name: Name, what: keyof Figures): string => {
    const ratios = figures.map((one) => one[name][what] / one.neither[what]);
    const [low, middle, high] = [Math.min(...ratios), median(ratios), Math.max(...ratios)].map((one) => one.toFixed(3));
    return `${middle} (${low} to ${high})`;
  };
  const rows = names.map((name) => [
    name,
    ...(['microsPerTask', 'tasksPerSecond'] as const).flatMap((what) => [
      median(figures.map((one) => one[name][what])),
      beside(name, what),
    ]),
  ]);
  return markdownTable(['', 'µs per task', 'beside neither', 'tasks/s', 'beside neither'], rows);
}

function listen(server: Server): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  return promise;
}
