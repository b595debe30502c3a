// `npm run bench:telemetry`: what metrics and traces cost, in processor time of gateway and worker for each task, and in
// tasks per second. The same deployment several times, in many short rounds of random order: a busy machine is busy for
// all. What others do only adds processor time, so the lower quartile of the rounds says more than their median.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '@switchyard/local';
import { userMessage } from '../../tests/support/messages.ts';
import { processorMicros } from '../../tests/support/process-usage.ts';
import { count, readCommandLine } from '../options.ts';
import { quantile, SeededRandom } from '../statistics.ts';
import { markdownTable } from '../tables.ts';
import { Stage } from './stage.ts';

const { rounds, tasks } = readCommandLine({
  usage: `npm run bench:telemetry [-- options]
  Tasks are sent without waiting, and a round ends when the last one is completed. The deployment without metrics and
  traces is there twice: what the two differ by is noise.`,
  options: {
    rounds: count('rounds of each that count', '100', ['4']),
    tasks: count('tasks of a round', '1000', ['1']),
  },
}).options;
const callers = 32;
const warmUps = 10;
const random = new SeededRandom(1);

interface Contender {
  readonly name: string;
  readonly stage: Stage;
  readonly microsPerTask: number[];
  readonly tasksPerSecond: number[];
}

await using parts = new AsyncDisposableStack();
const metrics = await metricsSettings();
const collector = createServer((request, response) => request.resume().on('end', () => response.end()));
const port = await listen(parts.adopt(collector, (server) => void server.close()));
const traces = { TRACES: 'otlp', TRACES_URL: `http://127.0.0.1:${port}/v1/traces`, TRACES_SAMPLE: '0.01' };
const contenders: readonly Contender[] = [
  await open('neither'),
  await open('neither, once more'),
  await open('metrics, read every 5 s', metrics),
  await open('traces of 1 %', traces),
];
parts.use(scrape(metrics));
for (let round = -warmUps; round < rounds; round++) {
  const order = contenders.map((contender) => ({ contender, at: random.next() })).sort((a, b) => a.at - b.at);
  for (const { contender } of order) await measure(contender, round >= 0);
  if (round % 20 === 0) process.stderr.write(`round ${round}\n`);
}
process.stdout.write(`${table()}\n`);

async function open(name: string, env?: Readonly<Record<string, string>>): Promise<Contender> {
  return { name, stage: parts.use(await Stage.open(env && { env })), microsPerTask: [], tasksPerSecond: [] };
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

function table(): string {
  const [neither] = contenders;
  const figures = ({ microsPerTask, tasksPerSecond }: Contender): number[] => [
    quantile(microsPerTask, 0.25),
    quantile(microsPerTask, 0.5),
    quantile(tasksPerSecond, 0.75),
    quantile(tasksPerSecond, 0.5),
  ];
  const base = neither ? figures(neither) : [];
  const rows = contenders.map((contender) => [
    contender.name,
    ...figures(contender).flatMap((figure, i) => [figure, (figure / (base[i] ?? Number.NaN)).toFixed(3)]),
  ]);
  const heads = ['µs per task, lower quartile', 'µs per task, median', 'tasks/s, upper quartile', 'tasks/s, median'];
  return markdownTable(['', ...heads.flatMap((head) => [head, 'beside neither'])], rows);
}

function listen(server: Server): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  return promise;
}
