// `npm run workshop replicas`: tasks a second over the number of gateways and of Redis masters. Each process has a core
// of its own as far as there are cores, and the table says which of them was full.

import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { type Program, startProgram } from '../../tests/support/process.ts';
import { cpuShares } from '../../tests/support/process-usage.ts';
import { type RedisDeployment, startCluster, startSingle } from '../faults/redis/deployments.ts';
import { count, flag, readCommandLine } from '../options.ts';
import { markdownRow, ms, percent } from '../tables.ts';
import { type ReplicaRow, replicasChart } from './charts.ts';
import { sendBody } from './drive.ts';
import type { HttpLoad, HttpResult } from './drivers/http-load.ts';
import type { StreamLoad, StreamResult } from './drivers/streams.ts';
import { conditions, today, writeResult } from './report.ts';

const { options } = readCommandLine({
  usage: `npm run workshop replicas [-- options]
  1, 2, 4 … gateways, half as many workers, on one Redis and on a Cluster of 3 masters: immediate, blocking and
  streaming callers. With fewer cores than processes the figures say only that everything runs.`,
  options: {
    gateways: count('most gateways', '8', ['1', '64']),
    callers: count('concurrent callers of each gateway', '64', ['1', '1000']),
    seconds: count('seconds of each measurement', '5', ['1', '600']),
    save: flag('write workshop/bench/results/replicas.json and replicas.svg'),
  },
});
const cores = availableParallelism();
const kinds = ['immediate', 'blocking', 'streaming'] as const;
type Kind = (typeof kinds)[number];

/** Gives each process the next core. The last core is left to the loads, which share what remains. */
class Cores {
  #next = 0;

  get isShared(): boolean {
    return this.#next > cores - 1;
  }

  async pin(pid: number): Promise<void> {
    await pinTo(String(this.#next++ % cores), pid);
  }

  async pinLoad(pid: number): Promise<void> {
    await pinTo(this.isShared ? `0-${cores - 1}` : `${this.#next}-${cores - 1}`, pid);
  }
}

async function pinTo(list: string, pid: number): Promise<void> {
  await promisify(execFile)('taskset', ['-a', '-p', '-c', list, String(pid)]);
}

interface Setup extends AsyncDisposable {
  readonly urls: readonly string[];
  readonly pids: Readonly<Record<string, number>>;
  readonly cores: Cores;
  unfinished(): Promise<number>;
}

async function setUp(gateways: number, masters: number): Promise<Setup> {
  await using owned = new AsyncDisposableStack();
  const redis = owned.use(await (masters === 1 ? startSingle() : startCluster()));
  const shards = masters === 1 ? 1 : 12;
  const unlimited = { MAX_OPEN_TASKS: '10000000', MAX_KEPT_TASKS: '10000000' };
  const env = { REDIS_URL: redis.url, SHARDS: String(shards), KEY_PREFIX: 'bench', LOG_LEVEL: 'warn', ...unlimited };
  const own = new Cores();
  const pids: Record<string, number> = {};
  const add = async (name: string, pid: number): Promise<void> => {
    pids[name] = pid;
    await own.pin(pid);
  };
  for (const [at, { pid }] of (await redis.masters()).entries()) await add(`redis ${at + 1}`, pid);
  const start = async (name: string, file: string, more: object = {}, args: string[] = []): Promise<Program> => {
    const program = owned.adopt(await startProgram({ file, args, env: { ...env, ...more } }), async (each) => {
      await each.stop();
    });
    await add(name, program.pid);
    return program;
  };
  const urls: string[] = [];
  for (let at = 1; at <= gateways; at++) {
    const listening = { PORT: '0', GRPC_PORT: 'off', DEFAULT_AGENT: 'bench', LOG_LEVEL: 'info' };
    const gateway = await start(`gateway ${at}`, 'apps/gateway/src/main.ts', listening);
    const [, url = ''] = await gateway.waitFor(/"url":"(http[^"]+)","msg":"listening"/, 30_000);
    urls.push(url);
  }
  for (let at = 1; at <= Math.ceil(gateways / 2); at++)
    await start(`worker ${at}`, 'apps/worker/src/main.ts', {}, ['--agents', 'workshop/bench/agents/bench.ts']);
  await Promise.all(urls.map(untilServed));
  const kept = owned.move();
  const unfinished = (): Promise<number> => outboxOf(redis);
  return { urls, pids, cores: own, unfinished, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

async function untilServed(url: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const { status } = await fetch(`${url}/.well-known/agent-card.json`);
    if (status === 200) return;
    await delay(100);
  }
  throw new Error(`${url} serves no agent`);
}

/** Tasks that are not completed yet. */
async function outboxOf(redis: RedisDeployment): Promise<number> {
  const masters = await redis.masters();
  const counts = await Promise.all(masters.map(({ port }) => outboxAt(port)));
  return counts.reduce((sum, each) => sum + each, 0);
}

async function outboxAt(port: number): Promise<number> {
  const client = new Redis(port, '127.0.0.1');
  try {
    const keys = await client.keys('bench{*}:outbox');
    const counts = await Promise.all(keys.map((key) => client.zcard(key)));
    return counts.reduce((sum, each) => sum + each, 0);
  } finally {
    client.disconnect();
  }
}

interface Load {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** The largest share of a core that one of the loads used; unset: not known. */
  readonly share?: number;
}

async function loadOf(kind: Kind, { urls, cores: own }: Setup, seconds: number): Promise<Load> {
  const isStreaming = kind === 'streaming';
  const http = (url: string): HttpLoad => ({
    url,
    method: 'POST',
    body: sendBody('done', kind === 'immediate'),
    connections: options.callers,
    seconds,
  });
  const streaming = (url: string): StreamLoad => ({ url, text: 'done', clients: options.callers, times: 10 * seconds });
  const file = `workshop/bench/drivers/${isStreaming ? 'streams' : 'http-load'}.ts`;
  const programs = await Promise.all(
    urls.map((url) => startProgram({ file, args: [JSON.stringify(isStreaming ? streaming(url) : http(url))] })),
  );
  await Promise.all(programs.map(({ pid }) => own.pinLoad(pid)));
  const answers = await Promise.all(programs.map((program) => answerOf<HttpResult & StreamResult>(program)));
  const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0);
  if (isStreaming) {
    const longest = answers.flatMap(({ streamMs }) => streamMs).sort((a, b) => b - a);
    const perSecond = sum(answers.map(({ streamMs, totalMs }) => (streamMs.length / totalMs) * 1_000));
    return { perSecond, p99Ms: longest[Math.floor(longest.length / 100)] ?? Number.NaN };
  }
  const failed = sum(answers.map((answer) => answer.failed));
  if (failed > 0) throw new Error(`${failed} requests failed`);
  const worst = (value: (answer: HttpResult) => number): number => Math.max(...answers.map(value));
  return {
    perSecond: sum(answers.map((answer) => answer.perSecond)),
    p99Ms: worst((answer) => answer.p99Ms),
    share: worst((answer) => answer.share),
  };
}

async function answerOf<T>(program: Program): Promise<T> {
  const code = await program.exited;
  const [, json] = /^answer (.*)$/m.exec(program.output()) ?? [];
  if (json === undefined) throw new Error(`a load ended with ${code} and no answer:\n${program.output()}`);
  return JSON.parse(json);
}

/** Shares by kind of process: `redis 97 %, gateway 80 to 84 %`. */
function sharesText(shares: Readonly<Record<string, number>>): string {
  const byKind = Map.groupBy(Object.entries(shares), ([name]) => name.split(' ')[0] ?? name);
  const texts = [...byKind].map(([kind, each]) => {
    const values = each.map(([, share]) => share);
    const [least, most] = [percent(Math.min(...values)), percent(Math.max(...values))];
    return `${kind} ${least === most ? most : `${least.replace(' %', '')} to ${most}`}`;
  });
  return texts.join(', ');
}

function fullest(shares: Readonly<Record<string, number>>): string {
  const full = Object.entries(shares).filter(([, share]) => share > 0.9);
  return full.length > 0 ? full.map(([name]) => name).join(', ') : 'none';
}

const seen = conditions({ callers: options.callers, seconds: options.seconds });
process.stdout.write(`${JSON.stringify(seen)}\n`);
const head = ['callers', 'masters', 'gateways', 'workers', 'tasks/s', 'of linear', 'p99', 'left', 'shares', 'full'];
process.stdout.write(`${markdownRow(head)}\n${markdownRow(head.map(() => '---'))}\n`);
const rows: ReplicaRow[] = [];
let wasShared = false;
for (const masters of [1, 3])
  for (let gateways = 1; gateways <= options.gateways; gateways *= 2) {
    await using setup = await setUp(gateways, masters);
    wasShared ||= setup.cores.isShared;
    for (const kind of kinds) {
      await loadOf(kind, setup, 2);
      const { result, shares } = await cpuShares(setup.pids, () => loadOf(kind, setup, options.seconds));
      const { perSecond, p99Ms, share } = result;
      const left = await setup.unfinished();
      rows.push({ kind, masters, gateways, perSecond, p99Ms, shares });
      const all = { ...shares, ...(share !== undefined && { load: share }) };
      const cells = [kind, masters, gateways, Math.ceil(gateways / 2), Math.round(perSecond), ofLinear(kind, gateways)];
      process.stdout.write(`${markdownRow([...cells, ms(p99Ms), left, sharesText(all), fullest(all)])}\n`);
      for (let waited = 0; waited < 300 && (await setup.unfinished()) > 0; waited++) await delay(200);
    }
  }
if (options.save) {
  await writeResult('replicas.json', { date: today(), conditions: seen, rows });
  await writeResult('replicas.svg', replicasChart(rows));
}
process.stdout.write(
  wasShared
    ? `${cores} cores are fewer than the processes of some rows: those share cores, and do not show how it scales\n`
    : `each process had one of ${cores} cores; the loads shared the others\n`,
);

/** Of the last row, beside one gateway on one Redis. */
function ofLinear(kind: Kind, gateways: number): number {
  const alone = rows.find((row) => row.kind === kind && row.masters === 1 && row.gateways === 1);
  return (rows.at(-1)?.perSecond ?? Number.NaN) / ((alone?.perSecond ?? Number.NaN) * gateways);
}
