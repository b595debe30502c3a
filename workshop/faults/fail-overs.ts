import { setTimeout as delay } from 'node:timers/promises';
import type { Message } from '@switchyard/protocol';
import type { RedisDeployment } from './redis/deployments.ts';
import type { RedisNode } from './redis/redis-node.ts';
import { eventually } from './workload/lateness.ts';
import { pushSettings, startPushReceiver } from './workload/push-receiver.ts';
import { type Gateways, ResilientClient, type Retry, watchTask } from './workload/resilient-client.ts';
import { type Scene, startScene } from './workload/scene.ts';

export interface FailOverOptions {
  readonly rounds: number;
  /**
   * `kill`: the process dies. `freeze`: it stops with open connections, and resumes. `partition`: it runs without
   * connections, and gets them back.
   */
  readonly how: 'kill' | 'freeze' | 'partition';
  /** WAIT_REPLICAS of the gateways. Default: 0. */
  readonly waitReplicas?: number;
}

const CLIENTS = 8;
const WORKERS = 2;
const DEAD_FOR_MS = 5_000;
const TAKEN_OVER_WITHIN_MS = 15_000;
const ANSWERS_BETWEEN_FAULTS = 3;
const ANSWERED_AGAIN_WITHIN_MS = 30_000;

/** Kills or freezes one master after the other under load, each with a replica to take over. */
export async function measureFailOver(
  redis: RedisDeployment,
  { rounds, how, waitReplicas = 0 }: FailOverOptions,
  log: (line: string) => void,
) {
  await using receiver = await startPushReceiver();
  const env = { ...pushSettings, WAIT_REPLICAS: String(waitReplicas) };
  await using scene = await startScene({ redis, workers: WORKERS, env });
  const { stack, client } = scene;
  const probers = Array.from({ length: CLIENTS }, (_, n) => startProber(stack, `c${n}`, { webhook: receiver.url }));
  const worst = (): number => Math.max(...probers.map(({ seen }) => seen.worstOutageMs));
  for (let round = 0; round < rounds; round++) {
    await untilAllWork(probers);
    await failOver(redis, round, how);
    log(`${round + 1}/${rounds}  ${how}  worst outage ${Math.round(worst())} ms`);
  }
  await untilAllWork(probers);
  await Promise.all(probers.map((prober) => prober.stop()));
  // The longest time without a completed request of any client, over all rounds.
  const worstOutageMs = worst();
  const accepted = probers.flatMap(({ seen }) => seen.accepted);
  const ends = await Promise.allSettled(accepted.map((id) => client.ended(id, 30_000)));
  // Acknowledged tasks that are not completed in the end.
  const lost = ends.flatMap((end, i) => {
    const state = end.status === 'fulfilled' ? end.value.status.state : String(end.reason);
    return state === 'TASK_STATE_COMPLETED' ? [] : [`${accepted[i]} ${state}`];
  });
  // Webhooks must get every event of a task, and its first delivery in order.
  const problemsOf = async (id: string): Promise<string[]> =>
    receiver.problemsOf(id, (await watchTask(client, id)).events.size);
  const undelivered = (await Promise.all(probers.flatMap(({ seen }) => seen.pushed).map(problemsOf))).flat();
  return { worstOutageMs, requests: accepted.length, lost, undelivered, wedged: await countWedged(scene) };
}

/** Every client gets some answers more: the next fault meets all of them at work. */
async function untilAllWork(probers: readonly Prober[]): Promise<void> {
  const before = probers.map(({ seen }) => seen.accepted.length);
  const doWork = (): boolean =>
    probers.every(({ seen }, n) => seen.accepted.length >= (before[n] ?? 0) + ANSWERS_BETWEEN_FAULTS);
  await Promise.all([
    eventually(doWork, { what: 'all clients are answered', timeoutMs: ANSWERED_AGAIN_WITHIN_MS }),
    delay(1_500),
  ]);
}

async function failOver(redis: RedisDeployment, round: number, how: FailOverOptions['how']): Promise<void> {
  const masters = await redis.masters();
  const victim = masters[round % masters.length];
  if (!victim) throw new Error('there is no master');
  const bringBack = await takeAway(redis, victim, how);
  await delay(DEAD_FOR_MS);
  const isTakenOver = async (): Promise<boolean> =>
    (await redis.masters()).filter((node) => node !== victim).length === masters.length;
  await eventually(isTakenOver, { what: 'a replica has taken over', timeoutMs: TAKEN_OVER_WITHIN_MS, everyMs: 100 });
  await bringBack();
  await redis.settled();
}

async function takeAway(redis: RedisDeployment, victim: RedisNode, how: FailOverOptions['how']) {
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

/** Each worker must still take work: the others are stopped one after the other. */
async function countWedged({ stack }: Scene): Promise<number> {
  let wedged = 0;
  for (const worker of stack.workers) {
    for (const other of stack.workers) if (other !== worker) other.kill('SIGSTOP');
    const prober = startProber(stack, `wedge-${worker.pid}`);
    const works = eventually(() => prober.seen.accepted.length >= 3, { what: 'the worker works', timeoutMs: 20_000 });
    await works.catch(() => wedged++);
    await prober.stop();
    for (const other of stack.workers) if (other !== worker) other.kill('SIGCONT');
  }
  return wedged;
}

/** One in this many tasks has a webhook. */
const PUSHED_EVERY = 5;

export interface ProberOptions {
  /** URL of a webhook for some of the tasks. */
  readonly webhook?: string | undefined;
  readonly onRetry?: (retry: Retry) => void;
}

export type Prober = ReturnType<typeof startProber>;

/**
 * Starts a client that sends messages one after the other, each until it is answered, and measures the longest wait.
 */
export function startProber(gateways: Gateways, name: string, { webhook, onRetry }: ProberOptions = {}) {
  const client = new ResilientClient(gateways, 0, onRetry);
  // Ids of acknowledged tasks, those with a webhook, and the longest time between two answers so far.
  const seen = { accepted: [] as string[], pushed: [] as string[], worstOutageMs: 0 };
  let isStopped = false;
  const run = async (): Promise<void> => {
    let answeredAt = performance.now();
    for (let n = 0; !isStopped; ) {
      const text = n % 3 === 0 ? `talk 0 p${n}` : `stream 4 p${n}`;
      const hook = n % PUSHED_EVERY === 0 ? webhook : undefined;
      const message: Message = { messageId: `${name}-${n}`, role: 'ROLE_USER', parts: [{ text }] };
      const task = await client.send(message, false, hook).catch(() => undefined);
      if (!task) {
        await delay(50); // repeats the same message
        continue;
      }
      n++;
      seen.accepted.push(task.id);
      if (hook) seen.pushed.push(task.id);
      seen.worstOutageMs = Math.max(seen.worstOutageMs, performance.now() - answeredAt);
      answeredAt = performance.now();
    }
  };
  const running = run();
  const stop = (): Promise<void> => {
    isStopped = true;
    return running;
  };
  return { seen, stop };
}
