import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../../tests/support/stack.ts';
import { until } from '../../../tests/support/until.ts';
import type { RedisDeployment } from '../redis/deployment.ts';
import type { RedisNode } from '../redis/redis-node.ts';
import { PushReceiver, pushSettings } from '../workload/push-receiver.ts';
import { type Scene, startScene } from '../workload/scene.ts';
import { watchTask } from '../workload/watch-task.ts';
import { Prober } from './prober.ts';

export interface FailOverOptions {
  readonly rounds: number;
  /**
   * `kill`: the process dies. `freeze`: it stops with open connections, and resumes. `partition`: it runs without
   * connections, and gets them back.
   */
  readonly how: 'kill' | 'freeze' | 'partition';
  /** WAIT_REPLICAS of the gateways. Default: 0. */
  readonly waitReplicas?: number;
  readonly log: (line: string) => void;
}

export interface FailOverReport {
  readonly rounds: number;
  /** The longest that a client went without a completed request, over all rounds, in milliseconds. */
  readonly worstOutageMs: number;
  readonly requests: number;
  /** Tasks that were acknowledged, and are not completed in the end. */
  readonly lost: readonly string[];
  /** Events of acknowledged tasks that webhooks did not get, or not in order. */
  readonly undelivered: readonly string[];
  /** Workers that finish nothing any more. */
  readonly wedged: number;
}

const CLIENTS = 8;
const WORKERS = 2;
const DEAD_FOR_MS = 5_000;
const TAKEN_OVER_WITHIN_MS = 15_000;

/** Kills or freezes one master after the other under load, each time with a replica to take over. */
export async function measureFailOver(redis: RedisDeployment, options: FailOverOptions): Promise<FailOverReport> {
  await using receiver = new PushReceiver();
  const webhook = await receiver.start();
  const env = { ...pushSettings, WAIT_REPLICAS: String(options.waitReplicas ?? 0) };
  await using scene = await startScene({ redis, workers: WORKERS, env });
  const { stack } = scene;
  const probers = Array.from({ length: CLIENTS }, (_, n) => new Prober(stack, `c${n}`, { webhook }));
  for (const prober of probers) prober.start();
  for (let round = 0; round < options.rounds; round++) {
    await delay(1_500);
    await failOver(redis, round, options);
    options.log(`${round + 1}/${options.rounds}  ${options.how}  worst outage ${Math.round(worst(probers))} ms`);
  }
  await delay(1_500);
  await Promise.all(probers.map((prober) => prober.stop()));
  const worstOutageMs = worst(probers);
  const accepted = probers.flatMap((prober) => prober.accepted);
  return {
    rounds: options.rounds,
    worstOutageMs,
    requests: accepted.length,
    lost: await notCompleted(scene, accepted),
    undelivered: await missingDeliveries(scene, receiver, probers),
    wedged: await countWedged(stack),
  };
}

const worst = (probers: readonly Prober[]): number => Math.max(...probers.map(({ worstOutageMs }) => worstOutageMs));

async function failOver(redis: RedisDeployment, round: number, { how }: FailOverOptions): Promise<void> {
  const masters = await redis.masters();
  const victim = masters[round % masters.length];
  if (!victim) throw new Error('there is no master');
  const bringBack = await takeAway(redis, victim, how);
  await delay(DEAD_FOR_MS);
  const isTakenOver = async (): Promise<boolean> =>
    (await redis.masters()).filter((node) => node !== victim).length === masters.length;
  await until(isTakenOver, { what: 'a replica has taken over', timeoutMs: TAKEN_OVER_WITHIN_MS, everyMs: 100 });
  await bringBack();
  await redis.settled();
}

async function takeAway(
  redis: RedisDeployment,
  victim: RedisNode,
  how: FailOverOptions['how'],
): Promise<() => Promise<void> | void> {
  if (how === 'freeze') {
    victim.freeze();
    return () => victim.thaw();
  }
  if (how === 'partition') {
    if (!redis.partition) throw new Error('this Redis cannot be partitioned');
    return redis.partition(victim).heal;
  }
  await victim.kill();
  return () => victim.start();
}

async function notCompleted({ client }: Scene, accepted: readonly string[]): Promise<string[]> {
  const ends = await Promise.allSettled(accepted.map((id) => client.ended(id, 30_000)));
  return ends.flatMap((end, i) => {
    const state = end.status === 'fulfilled' ? end.value.status.state : String(end.reason);
    return state === 'TASK_STATE_COMPLETED' ? [] : [`${accepted[i]} ${state}`];
  });
}

/** Of each task every event, the first time in order. */
async function missingDeliveries(
  { client }: Scene,
  receiver: PushReceiver,
  probers: readonly Prober[],
): Promise<string[]> {
  const problemsOf = async (id: string): Promise<string[]> =>
    receiver.problemsOf(id, (await watchTask(client, id)).events.size);
  return (await Promise.all(probers.flatMap(({ pushed }) => pushed).map(problemsOf))).flat();
}

/** Each worker must still take work: the others are stopped, one after the other. */
async function countWedged(stack: Stack): Promise<number> {
  let wedged = 0;
  for (const worker of stack.workers) {
    for (const other of stack.workers) if (other !== worker) other.kill('SIGSTOP');
    const prober = new Prober(stack, `wedge-${worker.pid}`);
    prober.start();
    const works = until(() => prober.accepted.length >= 3, { what: 'the worker works', timeoutMs: 20_000 });
    wedged += await works.then(
      () => 0,
      () => 1,
    );
    await prober.stop();
    for (const other of stack.workers) if (other !== worker) other.kill('SIGCONT');
  }
  return wedged;
}
