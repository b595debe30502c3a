import { setTimeout as delay } from 'node:timers/promises';
import { priorities, type Task } from '@switchyard/protocol';
import { SeededRandom } from '../statistics.ts';
import {
  allFaults,
  type Fault,
  type InjectorOptions,
  injectFaults,
  longOutage,
  lossyFailOver,
  targetOn,
} from './inject/faults.ts';
import { type RedisDeployment, startPair, startSingle } from './redis/deployments.ts';
import { beyondLimits } from './workload/held-places.ts';
import { playScenario } from './workload/play-scenario.ts';
import { type PushReceiver, pushSettings, startPushReceiver } from './workload/push-receiver.ts';
import { type Gateways, gatewaysOf, ResilientClient, type Retry } from './workload/resilient-client.ts';
import {
  CONFIDENTIAL,
  createScenario,
  isLimited,
  limitedKinds,
  machineMs,
  type ScheduledFor,
  scenarioKinds,
} from './workload/scenario.ts';
import { startScene } from './workload/scene.ts';
import {
  begunThoughRejected,
  lateEffects,
  leakedKeys,
  leakedSecrets,
  repeatedSteps,
  type Violation,
} from './workload/violations.ts';

/** One run: which Redis, how many workers, which faults. */
export interface Phase {
  readonly name: string;
  readonly workers: number;
  readonly faults: readonly Fault[];
  /** Secrets that must be in no log. */
  readonly secrets: readonly string[];
  /** A fail-over may lose what no replica has, so acknowledgements wait for one (WAIT_REPLICAS=1). */
  readonly mayLoseEvents: boolean;
  readonly startRedis: () => Promise<RedisDeployment>;
}

const password = `secret-of-redis-${process.pid}`;
const durable = {
  secrets: [password, CONFIDENTIAL],
  mayLoseEvents: false,
  startRedis: () => startSingle({ settings: { appendfsync: 'always' }, password, isProxied: true }),
};

export const everything: Phase = { name: 'every fault, three workers', workers: 3, faults: allFaults, ...durable };

/** After each outage the worker takes its own jobs again. */
export const loneWorker: Phase = { name: 'outages, one worker', workers: 1, faults: [longOutage], ...durable };

/** Accepts wait for the replica (WAIT_REPLICAS=1), but begins, events and ends of turns are lost. */
export const lossyFailOvers: Phase = {
  name: 'fail-overs that lose begins and events',
  workers: 3,
  faults: [lossyFailOver],
  secrets: [CONFIDENTIAL],
  mayLoseEvents: true,
  startRedis: startPair,
};

export interface ChaosOptions extends Phase, Pick<InjectorOptions, 'count' | 'pauseMs'> {
  /** Minimum number of tasks in a run. */
  readonly tasks: number;
  readonly seed: number;
  readonly clients: number;
  /** Retention of ended tasks: long enough to read them, short enough to check that nothing is left of them. */
  readonly retentionMs: number;
  readonly log: (line: string) => void;
}

const clockStep = new URL('inject/shifted-clock.ts', import.meta.url).href;

/**
 * Runs tasks of all kinds while faults are injected into processes, Redis and the network, then reports all violations.
 */
export async function runChaos(options: ChaosOptions) {
  const { seed, workers, count, mayLoseEvents, secrets, retentionMs, log } = options;
  const begun = performance.now();
  await using redis = await options.startRedis();
  // Settings are left at their defaults where possible: so is MAX_ATTEMPTS.
  await using scene = await startScene({
    redis,
    agents: ['scenario-agent', 'crash-agent', 'limited-agent', 'keyed-agent'],
    gateways: 2,
    workers,
    env: {
      RETENTION_MS: String(retentionMs),
      REPLAY_MS: String(retentionMs),
      IDEMPOTENCY_MS: String(retentionMs),
      MIN_CRON_INTERVAL_MS: '1000',
      ...pushSettings,
      WAIT_REPLICAS: mayLoseEvents ? '1' : '0',
      NODE_OPTIONS: `--import=${clockStep} --max-old-space-size=512`,
      CLOCK_STEP_MS: seed % 2 === 0 ? '30000' : '-30000',
    },
  });
  const { stack, prefix } = scene;
  await using receiver = await startPushReceiver();
  const { seen, runUntil } = startTraffic({ ...options, gateways: stack, receiver, begunMs: scene.begunMs });
  const target = targetOn(stack, redis, new SeededRandom(seed));
  const onFault = (name: string, number: number): void =>
    log(`${number}/${count}  ${name.padEnd(50)} ${seen.played} tasks, ${seen.violations.length} violations`);
  const injected = injectFaults(target, { ...options, onFault });
  await runUntil(injected);
  const effects = await scene.effects();
  const crashed = stack.programs.filter((program) => !program.isRunning() && !target.victims.has(program.pid));
  const leaked = await leakedKeys(redis, prefix, 3 * retentionMs);
  const violations = [
    ...seen.violations,
    ...lateEffects(effects, seen.endedMs),
    ...begunThoughRejected(effects, seen.rejected),
    // A fail-over may lose the end of a step, and the start of a turn.
    ...(mayLoseEvents ? [] : [...repeatedSteps(effects), ...beyondLimits(await scene.confirmed())]),
    ...crashed.map(({ pid, output }): Violation => ({ kind: 'crashes', what: `${pid}: ${output().slice(-500)}` })),
    ...leakedSecrets(stack.programs, secrets),
    ...leaked.map((what): Violation => ({ kind: 'keys', what })),
  ];
  for (const line of linesAbout(violations, stack.programs)) log(line);
  const seconds = Math.round((performance.now() - begun) / 1_000);
  // How often each fault was injected.
  const { played: tasks, resumed: resumedStreams, rejected } = seen;
  return { violations, tasks, rejected: rejected.size, faults: await injected, resumedStreams, seconds };
}

/** What the programs logged of the tasks of the first violations: why they failed is there. */
function linesAbout(
  violations: readonly Violation[],
  programs: readonly { readonly output: () => string }[],
): string[] {
  const ids = violations
    .slice(0, 10)
    .flatMap(({ what }) => /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(what) ?? []);
  const lines = programs.flatMap(({ output }) => output().split('\n'));
  return [...new Set(ids)].flatMap((id) => lines.filter((line) => line.includes(id)).slice(-20));
}

/** What a message asks for. A fail-over that loses a begin may let the message be rejected, so none has a time to live. */
function askedBy(random: SeededRandom, mayLoseEvents: boolean) {
  return {
    schedule: scheduleBy(random),
    priority: random.next() < 0.6 ? random.pick(priorities) : undefined,
    ttlMs: random.next() < 0.25 && !mayLoseEvents ? random.between(5, 1_500) : undefined,
  };
}

/** For most messages undefined: they start at once. */
function scheduleBy(random: SeededRandom): ScheduledFor | undefined {
  const place = random.next();
  if (place < 0.15) return { inMs: random.between(0, 3_000) };
  return place < 0.25 ? { times: random.between(2, 4) } : undefined;
}

export interface TrafficOptions extends Pick<ChaosOptions, 'clients' | 'seed' | 'tasks' | 'mayLoseEvents' | 'log'> {
  readonly gateways: Gateways;
  readonly onRetry?: (retry: Retry) => void;
  readonly receiver: PushReceiver;
  /**
   * See `PlayOptions`. With it, some messages are scheduled, have a priority or a time to live, or are for agents with
   * limits.
   */
  readonly begunMs?: (taskId: string) => Promise<number | undefined>;
}

/** Starts clients that play scenarios one after the other. */
export function startTraffic(options: TrafficOptions) {
  const { gateways, onRetry, seed, clients, tasks, mayLoseEvents, receiver, begunMs, log } = options;
  const seen = {
    violations: [] as Violation[],
    /** When a client saw the end of each task, by `machineMs`. */
    endedMs: new Map<string, number>(),
    /** Tasks whose message nobody began in its time to live. */
    rejected: new Set<string>(),
    played: 0,
    resumed: 0,
  };
  let begun = 0;
  let isOver = false;
  const run = async (n: number): Promise<void> => {
    // A generator for each client, so that its scenarios depend only on the seed, not on the speed of the others.
    const random = new SeededRandom(seed * 1_000 + n);
    const clientOf = (agent?: string): ResilientClient =>
      new ResilientClient(agent === undefined ? gateways : gatewaysOf(gateways, agent), n, onRetry);
    const kinds = [...scenarioKinds, ...(begunMs ? limitedKinds : [])];
    while (!isOver) {
      const key = `s${seed}.${n}.${begun++}`;
      const kind = random.pick(kinds);
      const scenario = createScenario(kind, key, {
        size: random.between(1, 6) * random.between(1, 4),
        watches: random.pick(['sse', 'sse', 'grpc', 'not', 'not']),
        isPushed: random.next() < 0.25,
        ...(begunMs && askedBy(random, mayLoseEvents)),
      });
      const onEnded = ({ id, status }: Task): void => {
        seen.endedMs.set(id, machineMs());
        if (status.state === 'TASK_STATE_REJECTED') seen.rejected.add(id);
      };
      const options = { receiver, mayLoseEvents, onEnded, ...(begunMs && { begunMs }) };
      const client = clientOf(isLimited(kind) ? `${kind}-agent` : undefined);
      const { violations, resumed } = await playScenario(client, scenario, options);
      seen.violations.push(...violations);
      for (const { kind, what } of violations) log(`     VIOLATION  ${kind}: ${what}`);
      seen.resumed += resumed;
      seen.played++;
    }
  };
  const running = Array.from({ length: clients }, (_, n) => run(n));
  /** Continues until all faults are injected and there were enough tasks. */
  const runUntil = async (injected: Promise<unknown>): Promise<void> => {
    await injected;
    while (seen.played < tasks) await delay(200);
    isOver = true;
    await Promise.all(running);
  };
  return { seen, runUntil };
}
