// `npm run workshop telemetry`: what metrics and traces cost, in processor time of gateway and worker for each task,
// and in tasks per second. Several variants of one deployment run short rounds in random order, so that disturbances
// affect all. All are restarted several times, since two processes of the same program differ permanently by a few
// percent.

import { freePort } from '@switchyard/local';
import { openHttpServer } from '../../tests/support/http-server.ts';
import { userMessage } from '../../tests/support/messages.ts';
import { processorMicros } from '../../tests/support/process-usage.ts';
import { submit } from '../../tests/support/rest.ts';
import { count, readCommandLine } from '../options.ts';
import { median, quantile, SeededRandom } from '../statistics.ts';
import { markdownTable } from '../tables.ts';
import { openStage, type Stage } from './stage.ts';

const { starts, rounds, tasks } = readCommandLine({
  usage: `npm run workshop telemetry [-- options]
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

/** Figures of one deployment, or medians over many. */
interface Figures {
  readonly microsPerTask: number;
  readonly tasksPerSecond: number;
}

/** By the name of the deployment; one entry for each start. */
const figures: Readonly<Record<string, Figures>>[] = [];
for (let start = 0; start < starts; start++) {
  figures.push(await measureStart());
  process.stderr.write(`start ${start + 1} of ${starts}\n${table()}\n`);
}
process.stdout.write(`${table()}\n`);

async function measureStart(): Promise<Record<string, Figures>> {
  await using parts = new AsyncDisposableStack();
  const collector = parts.use(
    await openHttpServer((request, response) => void request.resume().on('end', () => response.end())),
  );
  const metrics = await metricsSettings();
  const settings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    neither: {},
    'neither, repeated': {},
    'metrics, read every 5 s': metrics,
    'traces of 1 %': { TRACES: 'otlp', TRACES_URL: `${collector.url}/v1/traces`, TRACES_SAMPLE: '0.01' },
  };
  const contenders: { name: string; stage: Stage; rounds: Figures[] }[] = [];
  for (const [name, env] of shuffled(Object.entries(settings)))
    contenders.push({ name, stage: parts.use(await openStage({ env })), rounds: [] });
  parts.use(scrape(metrics));
  for (let round = -warmUps; round < rounds; round++)
    for (const { stage, rounds: measured } of shuffled(contenders)) {
      const one = await measure(stage);
      if (round >= 0) measured.push(one);
    }
  // Other programs only add to the figures, so the best quartile of the rounds is the most accurate.
  const best = (of: readonly Figures[]): Figures => ({
    microsPerTask: quantile(
      of.map((one) => one.microsPerTask),
      0.25,
    ),
    tasksPerSecond: quantile(
      of.map((one) => one.tasksPerSecond),
      0.75,
    ),
  });
  return Object.fromEntries(
    Object.keys(settings).map((name) => [name, best(contenders.find((one) => one.name === name)?.rounds ?? [])]),
  );
}

function shuffled<T>(all: readonly T[]): T[] {
  const placed = all.map((one) => ({ one, at: random.next() }));
  return placed.sort((a, b) => a.at - b.at).map(({ one }) => one);
}

async function measure(stage: Stage): Promise<Figures> {
  const used = (): number => processorMicros(stage.gateway.pid) + processorMicros(stage.worker?.pid ?? 0);
  const [before, begun] = [used(), performance.now()];
  let left = tasks;
  const send = async (): Promise<void> => {
    while (left-- > 0) await submit(stage.gateway.url, userMessage('done'));
  };
  await Promise.all(Array.from({ length: callers }, send));
  await stage.untilFinished();
  const microsPerTask = (used() - before) / tasks;
  const tasksPerSecond = (tasks / (performance.now() - begun)) * 1_000;
  await stage.clear();
  return { microsPerTask, tasksPerSecond };
}

/** With these settings a gateway and a worker have metrics. */
async function metricsSettings() {
  const [admin, worker] = [await freePort(), await freePort()];
  const [ADMIN_KEY, METRICS_KEY] = ['a-key-for-the-bench', 'a-key-for-its-metrics'];
  return { ADMIN_PORT: `${admin}`, ADMIN_KEY, METRICS_PORT: `${worker}`, METRICS_KEY };
}

/** Requests them every five seconds, like Prometheus. */
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

/** Medians over the starts, and of the ratios also the lowest and the highest. */
function table(): string {
  const rows = Object.keys(figures[0] ?? {}).map((name) => [
    name,
    ...(['microsPerTask', 'tasksPerSecond'] as const).flatMap((what) => {
      const own = figures.map((one) => one[name]?.[what] ?? Number.NaN);
      const ratios = own.map((value, i) => value / (figures[i]?.neither?.[what] ?? Number.NaN));
      const [low, middle, high] = [0, 0.5, 1].map((share) => quantile(ratios, share).toFixed(3));
      return [median(own), `${middle} (${low} to ${high})`];
    }),
  ]);
  return markdownTable(['', 'µs per task', 'ratio to neither', 'tasks/s', 'ratio to neither'], rows);
}
