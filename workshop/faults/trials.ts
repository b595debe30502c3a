import { setTimeout as delay } from 'node:timers/promises';
import { openEventStream } from '../../tests/support/event-stream.ts';
import { userMessage } from '../../tests/support/messages.ts';
import { post } from '../../tests/support/rest.ts';
import { until } from '../../tests/support/until.ts';
import { quantile } from '../statistics.ts';
import { type FailOverOptions, measureFailOver } from './fail-overs.ts';
import { type RedisDeployment, startCluster, startSentinel } from './redis/deployments.ts';
import { isTooLate } from './workload/lateness.ts';
import type { ResilientClient } from './workload/resilient-client.ts';
import { keepWorkers, startScene } from './workload/scene.ts';

/** A line of the table of trials. */
export interface Finding {
  readonly what: string;
  readonly value: string | number;
  readonly isGood: boolean;
}

/** Measures the effect of one failure. */
export interface Trial {
  readonly name: string;
  run(log: (line: string) => void): Promise<Finding[]>;
}

const WORKERS = 2;
const RECOVERY_BAR_MS = 5_000;
const OUTAGE_BAR_MS = 6_000;
/** Connections stay open: clients must find out themselves that another gateway has taken over. */
const FREEZE_BAR_MS = 10_000;

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;
const none = (what: string, value: number): Finding => ({ what, value, isGood: value === 0 });
const within = (what: string, ms: number, barMs: number): Finding => ({
  what: `${what} (bar ${seconds(barMs)})`,
  value: seconds(ms),
  isGood: !isTooLate(what, ms, barMs),
});

/** @param failOvers of a Cluster */
export function trials(failOvers: number): Trial[] {
  const [some, few] = [Math.min(failOvers, 5), Math.min(failOvers, 2)];
  return [
    { name: 'recovery from kill -9 of a worker', run: findRecovery },
    { name: 'FLUSHALL with open streams', run: findLostData },
    ...[1, 5, 20].map((count) => ({ name: `${count} poisons`, run: () => findPoisoned(count) })),
    failOverTrial('Cluster', startCluster, { rounds: failOvers, how: 'kill' }),
    failOverTrial('Cluster', startCluster, { rounds: some, how: 'freeze', waitReplicas: 1 }),
    failOverTrial('Sentinel', startSentinel, { rounds: few, how: 'kill' }),
    failOverTrial('Sentinel', startSentinel, { rounds: few, how: 'freeze', waitReplicas: 1 }),
    failOverTrial('Sentinel', startSentinel, { rounds: few, how: 'partition', waitReplicas: 1 }),
  ];
}

async function findRecovery(): Promise<Finding[]> {
  const measured = await measureRecovery({ rounds: 6, tasks: 20 });
  const median = seconds(quantile(measured, 0.5));
  return [
    { what: 'worker killed until its turns run elsewhere, median', value: median, isGood: true },
    within('… worst', quantile(measured, 1), RECOVERY_BAR_MS),
  ];
}

/**
 * The time from kill -9 of a worker until each of its turns runs on another one, in milliseconds.
 * @param rounds workers to kill, one after the other  @param tasks that run at any time
 */
export async function measureRecovery({ rounds, tasks }: { rounds: number; tasks: number }): Promise<number[]> {
  await using scene = await startScene({ workers: WORKERS, env: { MAX_ATTEMPTS: '100' } });
  const { client, stack } = scene;
  const sent = Array.from({ length: tasks }, () => client.send(userMessage('wait 600000'), true));
  const ids = (await Promise.all(sent)).map(({ id }) => id);
  const measured: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const pids = await Promise.all(ids.map((id) => pidOf(client, id)));
    // Not just any worker: one of them may have taken all of a burst.
    const victim = stack.workers.find(({ pid }) => pids.includes(pid));
    const orphans = ids.filter((_, n) => pids[n] === victim?.pid);
    const killed = performance.now();
    victim?.kill('SIGKILL');
    const recovered = async (id: string): Promise<void> => {
      await pidOf(client, id, victim?.pid);
      measured.push(performance.now() - killed);
    };
    await Promise.all(orphans.map(recovered));
    await stack.addWorker();
  }
  return measured;
}

/** The process that runs a task, as its agent reports; not `except`, which has been killed. */
function pidOf(client: ResilientClient, taskId: string, except?: number): Promise<number> {
  const reported = async (): Promise<number | false> => {
    const { metadata } = await client.read(taskId);
    const pid = Number(metadata?.pid);
    return pid > 0 && pid !== except && pid;
  };
  return until(reported, { what: `${taskId} runs elsewhere`, timeoutMs: 30_000, everyMs: 25 });
}

const OPEN = 20;
const ENDS_WITHIN_MS = 15_000;
const BACK_WITHIN_MS = 10_000;

/** FLUSHALL with open streams and waiting callers. */
async function findLostData(): Promise<Finding[]> {
  await using scene = await startScene({ env: { BLOCKING_WAIT_MS: '60000' } });
  const { url, client, node } = scene;
  let closed = 0;
  const note = (): void => void closed++;
  for (let n = 0; n < OPEN; n++) {
    const task = await client.send(userMessage('wait 600000'), true);
    const stream = await openEventStream(`${url}/tasks/${task.id}:subscribe`);
    stream.rest().then(note, note);
    const waits = { message: userMessage('wait 600000'), configuration: { returnImmediately: false } };
    post(`${url}/message:send`, waits).then(note, note);
  }
  await delay(1_000);
  const lostAt = performance.now();
  await node.ask('FLUSHALL');
  const isBack = async (): Promise<boolean> => {
    const task = await client.send(userMessage('talk 0 again'), false);
    return task.status.state === 'TASK_STATE_COMPLETED';
  };
  const backMs = await until(isBack, { what: 'a new task is completed', timeoutMs: 30_000 }).then(
    () => performance.now() - lostAt,
    () => Number.POSITIVE_INFINITY,
  );
  await until(() => closed === 2 * OPEN, { what: 'all are closed', timeoutMs: ENDS_WITHIN_MS }).catch(() => undefined);
  return [
    none('FLUSHALL: streams and calls that hang', 2 * OPEN - closed),
    within('FLUSHALL: until new tasks are completed', backMs, BACK_WITHIN_MS),
  ];
}

const HARMLESS = 20;

/** Sends messages that kill their worker, among harmless ones. Dead workers are restarted. */
async function findPoisoned(poisons: number): Promise<Finding[]> {
  await using scene = await startScene({ agents: ['crash-agent'], workers: WORKERS });
  const { client } = scene;
  await using _ = keepWorkers(scene.stack);
  const send = async (text: string): Promise<string> => (await client.send(userMessage(text), true)).id;
  // Harmless turns run before, during and after the poison messages.
  const harmless: string[] = [];
  const poison: string[] = [];
  for (let n = 0; n < Math.max(HARMLESS, poisons); n++) {
    if (n < HARMLESS) harmless.push(await send('wait 4000'));
    if (n < poisons) poison.push(await send('die'));
  }
  const countUnlike = async (ids: readonly string[], state: string): Promise<number> => {
    const ends = await Promise.allSettled(ids.map((id) => client.ended(id, 180_000)));
    return ends.filter((end) => end.status === 'rejected' || end.value.status.state !== state).length;
  };
  const unpunished = await countUnlike(poison, 'TASK_STATE_FAILED');
  const died = await countUnlike(harmless, 'TASK_STATE_COMPLETED');
  return [
    none(`${poisons} poisons at once: harmless turns that died of them`, died),
    none(`${poisons} poisons at once: not given up`, unpunished),
  ];
}

function failOverTrial(redis: string, start: () => Promise<RedisDeployment>, options: FailOverOptions): Trial {
  const name = `${redis}, ${options.how}`;
  const barMs = options.how === 'kill' ? OUTAGE_BAR_MS : FREEZE_BAR_MS;
  return {
    name: `fail-overs: ${name}`,
    async run(log) {
      await using deployment = await start();
      const { worstOutageMs, requests, lost, undelivered, wedged } = await measureFailOver(deployment, options, log);
      for (const example of [...lost, ...undelivered].slice(0, 10)) log(example);
      return [
        within(`${name}: worst outage in ${options.rounds} fail-overs`, worstOutageMs, barMs),
        none(`${name}: acknowledged and lost, of ${requests}`, lost.length),
        none(`${name}: webhooks without all events, in order`, undelivered.length),
        none(`${name}: wedged workers`, wedged),
      ];
    },
  };
}
