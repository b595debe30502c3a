import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { residentBytes } from '../../../tests/support/process-usage.ts';
import { startStack } from '../../../tests/support/stack.ts';
import { until } from '../../../tests/support/until.ts';
import type { RedisNode } from '../redis/redis-node.ts';
import { startSingle } from '../redis/single.ts';
import { leakedKeys } from '../report/leaked-keys.ts';
import { playScenario } from '../workload/play-scenario.ts';
import { ResilientClient } from '../workload/resilient-client.ts';
import { createScenario, scenarioKinds } from '../workload/scenario.ts';

export interface SoakOptions {
  readonly tasks: number;
  readonly clients: number;
  readonly log: (line: string) => void;
}

/** Memory at rest, in MiB: no task runs, none is kept. */
export interface Sample {
  readonly tasks: number;
  readonly gateway: number;
  readonly worker: number;
  readonly redis: number;
}

export interface SoakReport {
  readonly samples: readonly Sample[];
  /** From after the warm-up to the end, in percent. */
  readonly growth: Readonly<Record<Measured, number>>;
  readonly perSecond: number;
}

const measured = ['gateway', 'worker', 'redis'] as const;
type Measured = (typeof measured)[number];

const SEGMENTS = 12;
/** Heaps grow to the size that they work best with, and BullMQ keeps so and so many events. */
const WARM_UP = 4;
const KEPT_MS = '2000';
/**
 * As in a container of 512 MiB. A heap that may take gigabytes of the machine takes its time to find its size, leak or
 * no leak.
 */
const HEAP_MIB = 256;

/** Hours of traffic, compressed: many tasks that are forgotten soon. Memory is looked at in between, at rest. */
export async function runSoak({ tasks, clients, log }: SoakOptions): Promise<SoakReport> {
  const prefix = uniquePrefix();
  await using redis = await startSingle();
  await using stack = await startStack({
    redisUrl: redis.url,
    agents: ['workshop/faults/agents/scenario-agent.ts', 'examples/echo/agent.ts'],
    env: {
      DEFAULT_AGENT: 'echo',
      KEY_PREFIX: prefix,
      LOG_LEVEL: 'info',
      RETENTION_MS: KEPT_MS,
      REPLAY_MS: KEPT_MS,
      IDEMPOTENCY_MS: KEPT_MS,
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
    },
  });
  const samples: Sample[] = [];
  const [node] = redis.nodes;
  const [gateway] = stack.gateways;
  const [worker] = stack.workers;
  if (!node || !gateway || !worker) throw new Error('nothing runs');
  const begun = performance.now();
  let busyMs = 0;
  for (let segment = 1; segment <= SEGMENTS; segment++) {
    busyMs += await traffic(stack.urls, { tasks: Math.ceil(tasks / SEGMENTS), clients, segment });
    const leaked = await leakedKeys(redis, prefix, 30_000);
    if (leaked.length) throw new Error(`keys are left: ${leaked.slice(0, 5)}`);
    const [gatewayMiB, workerMiB, redisMiB] = [
      await residentMiB(gateway.pid),
      await residentMiB(worker.pid),
      await usedMiB(node),
    ];
    samples.push({
      tasks: segment * Math.ceil(tasks / SEGMENTS),
      gateway: gatewayMiB,
      worker: workerMiB,
      redis: redisMiB,
    });
    log(`${JSON.stringify(samples.at(-1))} after ${Math.round((performance.now() - begun) / 1_000)} s`);
  }
  const growth = Object.fromEntries(measured.map((what) => [what, growthOf(samples.map((sample) => sample[what]))]));
  return { samples, growth: growth as SoakReport['growth'], perSecond: Math.round((tasks / busyMs) * 1_000) };
}

interface Traffic {
  readonly tasks: number;
  readonly clients: number;
  readonly segment: number;
}

/**
 * Mostly short tasks; one in fifty is a scenario that is checked from beginning to end.
 * @returns how long it took, in ms
 */
async function traffic(urls: readonly string[], { tasks, clients, segment }: Traffic): Promise<number> {
  const begun = performance.now();
  let next = 0;
  const client = async (n: number): Promise<void> => {
    const asker = new ResilientClient(urls, n);
    const teller = new ResilientClient(
      urls.map((url) => `${url}/agents/scenario-agent`),
      n,
    );
    while (next < tasks) {
      const number = next++;
      const messageId = `${segment}-${number}`;
      if (number % 50 > 0) {
        await asker.send({ messageId, role: 'ROLE_USER', parts: [{ text: `hello ${messageId}` }] }, false);
        continue;
      }
      const kind = scenarioKinds[(number / 50) % scenarioKinds.length] ?? 'stream';
      const { violations } = await playScenario(teller, createScenario(kind, messageId, { size: 4, watches: 'sse' }));
      if (violations.length) throw new Error(JSON.stringify(violations));
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, n) => client(n)));
  return performance.now() - begun;
}

/** Of the mean of the last samples over that of the first ones after the warm-up. */
function growthOf(values: readonly number[]): number {
  const mean = (some: readonly number[]): number => some.reduce((sum, value) => sum + value, 0) / some.length;
  const [first, last] = [mean(values.slice(WARM_UP, WARM_UP + 3)), mean(values.slice(-3))];
  return ((last - first) / first) * 100;
}

async function residentMiB(pid: number): Promise<number> {
  const bytes = await until(() => residentBytes(pid), { what: `the memory of process ${pid}` });
  return Math.round(bytes / 104_857.6) / 10;
}

async function usedMiB(node: RedisNode): Promise<number> {
  const used = /used_memory:(\d+)/.exec(await node.ask('INFO memory'))?.[1] ?? 0;
  return Math.round(Number(used) / 10_485.76) / 100;
}
