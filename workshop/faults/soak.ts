import { uniquePrefix } from '../../tests/support/prefix.ts';
import { residentBytes } from '../../tests/support/process-usage.ts';
import { type Stack, startStack } from '../../tests/support/stack.ts';
import { count, readCommandLine } from '../options.ts';
import { textTable } from '../tables.ts';
import { type RedisDeployment, startSingle } from './redis/deployments.ts';
import { ARCHIVE_TABLE, startArchive } from './stores/archive.ts';
import { playScenario } from './workload/play-scenario.ts';
import { ResilientClient } from './workload/resilient-client.ts';
import { createScenario, scenarioKinds } from './workload/scenario.ts';
import { PUBLIC_URL } from './workload/scene.ts';
import { leakedKeys } from './workload/violations.ts';

/** Exit code 1 if the memory of any process grows by more than 5 % after its warm-up. */
const { options, names } = readCommandLine({
  usage: `npm run workshop soak [-- options] [archive]
  Four minutes: how the memory of a gateway, a worker and Redis grows with that many tasks, in heaps of 256 MiB;
  with "archive", all tasks are archived meanwhile, and must be in PostgreSQL at the end. Each part then lasts half a
  minute longer: ten minutes on an idle machine, computed.`,
  options: {
    tasks: count('number of tasks', '200000'),
    clients: count('concurrent clients', '50'),
    segments: count('parts of the run: memory is read after each', '12', ['8']),
  },
  names: ['archive'],
});
const { tasks, clients, segments } = options;
const MOST_GROWTH_PERCENT = 5;
const TASKS_OF_SEGMENT = Math.ceil(tasks / segments);
/** Not measured: heaps grow to their working size, and BullMQ keeps some events. */
const WARM_UP = Math.floor(segments / 3);
/** Long enough for a reader on a busy machine; with an archive, about the least that workers accept. */
const KEPT_MS = names.includes('archive') ? '31000' : '6000';
/**
 * As in a container of 512 MiB: a heap that can grow to gigabytes takes long to reach its final size, with or without a
 * leak.
 */
const HEAP_MIB = 256;

/** Memory in MiB at rest: no task runs, none is stored. */
type Sample = Readonly<Record<'gateway' | 'worker' | 'redis', number>>;

await using archive = names.includes('archive') ? await startArchive() : undefined;
const env = {
  ...archive?.env,
  DEFAULT_AGENT: 'echo',
  KEY_PREFIX: uniquePrefix(),
  LOG_LEVEL: 'info',
  PUBLIC_URL,
  RETENTION_MS: KEPT_MS,
  REPLAY_MS: KEPT_MS,
  // A call is repeated after a suspension, and must be known then.
  IDEMPOTENCY_MS: archive ? KEPT_MS : '12000',
  AUDIT_MAX: '1000', // the audit trail is full before the warm-up ends
  NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
};

// Hours of traffic, compressed: many tasks with a short retention. Memory is sampled in between, at rest.
await using redis = await startSingle();
const agents = ['workshop/faults/agents/scenario-agent.ts', 'examples/echo/agent.ts'];
await using stack = await startStack({ redisUrl: redis.url, agents, env });
const samples: Sample[] = [];
let [busyMs, calls] = [0, 0];
for (let segment = 1; segment <= segments; segment++) {
  busyMs += await traffic(stack.urls, segment);
  const leaked = await leakedKeys(redis, env.KEY_PREFIX, 60_000);
  if (leaked.length) throw new Error(`keys are left: ${leaked.slice(0, 5)}`);
  samples.push(await memoryOf(stack, redis));
  const copies = await archivedTasks();
  const made = segment * TASKS_OF_SEGMENT + calls;
  if (copies !== undefined && copies !== made) throw new Error(`${copies} of ${made} tasks are in the archive`);
  process.stderr.write(`${segment * TASKS_OF_SEGMENT} tasks: ${JSON.stringify({ ...samples.at(-1), copies })}\n`);
}
const growth = (['gateway', 'worker', 'redis'] as const).map((what) => [what, growthOf(what)] as const);
const bar = `(bar ${MOST_GROWTH_PERCENT} %)`;
const rows = growth.map(([what, percent]) => [`growth of ${what} after the warm-up ${bar}`, `${percent.toFixed(1)} %`]);
const perSecond = Math.round(((segments * TASKS_OF_SEGMENT) / busyMs) * 1_000);
process.stdout.write(`\n${textTable([`${segments * TASKS_OF_SEGMENT} tasks, ${perSecond}/s`, ''], rows)}\n`);
process.stdout.write(`MiB at rest, first and last: ${JSON.stringify([samples[0], samples.at(-1)])}\n`);
if (!growth.every(([, percent]) => percent <= MOST_GROWTH_PERCENT)) process.exitCode = 1;

/**
 * Mostly short tasks; one in fifty is a scenario whose events are all checked.
 * @returns its duration in ms
 */
async function traffic(urls: readonly string[], segment: number): Promise<number> {
  const begun = performance.now();
  let next = 0;
  const scenarioUrls = urls.map((url) => `${url}/agents/scenario-agent`);
  const client = async (n: number): Promise<void> => {
    const [asker, teller] = [new ResilientClient({ urls }, n), new ResilientClient({ urls: scenarioUrls }, n)];
    while (next < TASKS_OF_SEGMENT) {
      const number = next++;
      const messageId = `${segment}-${number}`;
      if (number % 50 > 0) {
        await asker.send({ messageId, role: 'ROLE_USER', parts: [{ text: `hello ${messageId}` }] }, false);
        continue;
      }
      const kind = scenarioKinds[(number / 50) % scenarioKinds.length] ?? 'stream';
      const { violations } = await playScenario(teller, createScenario(kind, messageId, { size: 4, watches: 'sse' }));
      if (kind === 'call') calls++;
      if (violations.length) throw new Error(JSON.stringify(violations));
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, n) => client(n)));
  return performance.now() - begun;
}

/** Undefined: there is no archive. */
async function archivedTasks(): Promise<number | undefined> {
  const [row] = (await archive?.sql(`SELECT count(*)::int FROM ${ARCHIVE_TABLE}`)) ?? [];
  return row && Number(row.count);
}

async function memoryOf({ gateways, workers }: Stack, { nodes }: RedisDeployment): Promise<Sample> {
  const used = /used_memory:(\d+)/.exec((await nodes[0]?.ask('INFO memory')) ?? '')?.[1];
  const mib = (bytes: number): number => Number((bytes / 1_048_576).toFixed(2));
  const resident = (of: readonly { readonly pid: number }[]): number => mib(residentBytes(of[0]?.pid ?? 0));
  return { gateway: resident(gateways), worker: resident(workers), redis: mib(Number(used)) };
}

/** In percent: the mean of the last samples relative to that of the first ones after the warm-up. */
function growthOf(what: keyof Sample): number {
  const mean = (some: readonly Sample[]): number => some.reduce((sum, one) => sum + one[what], 0) / some.length;
  return (mean(samples.slice(-3)) / mean(samples.slice(WARM_UP, WARM_UP + 3)) - 1) * 100;
}
