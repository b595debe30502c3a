import { setTimeout as delay } from 'node:timers/promises';
import { priorities, type Task } from '@switchyard/protocol';
import { Store } from '@switchyard/store';
import { SeededRandom } from '../statistics.ts';
import { temporaryFolder } from '../system.ts';
import { archiveFaults } from './inject/archive-faults.ts';
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
import { type Stores, startStores } from './stores/stores.ts';
import { beyondLimits } from './workload/held-places.ts';
import { KeptTasks, leftFiles } from './workload/kept-tasks.ts';
import { takeLate } from './workload/lateness.ts';
import { playScenario } from './workload/play-scenario.ts';
import { type PushReceiver, pushSettings, startPushReceiver } from './workload/push-receiver.ts';
import { type Gateways, gatewaysOf, ResilientClient, type Retry } from './workload/resilient-client.ts';
import {
  agentOf,
  CONFIDENTIAL,
  createScenario,
  limitedKinds,
  machineMs,
  type ScenarioKind,
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
  /** Ended tasks are archived, and files stored. Default: neither. */
  readonly startStores?: () => Promise<Stores>;
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

/** The others of all faults: clocks that step leave gateways and Redis of different opinions of what Redis has forgotten. */
const withArchive =
  /^(?:worker killed|worker frozen.*|gateway killed|gateway frozen|Redis killed|Redis frozen|Redis away.*|replies of Redis lost, at once)$/;

/** Tasks and files are read after Redis has forgotten the tasks. */
export const archived: Phase = {
  ...everything,
  name: 'archive and files, three workers',
  faults: [...allFaults.filter(({ name }) => withArchive.test(name)), ...archiveFaults],
  startStores,
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

const clockStep = `--import=${new URL('inject/shifted-clock.ts', import.meta.url).href}`;
const killAtCopy = `--import=${new URL('inject/kill-at-copy.ts', import.meta.url).href}`;

/** The clients load the machine meanwhile. */
const START_WITHIN_MS = 90_000;
const HEAP = '--max-old-space-size=512';

/**
 * Runs tasks of all kinds while faults are injected into processes, Redis and the network, then reports all violations.
 */
export async function runChaos(options: ChaosOptions) {
  const { seed, workers, count, mayLoseEvents, secrets, retentionMs, log } = options;
  const begun = performance.now();
  await using redis = await options.startRedis();
  await using stores = await options.startStores?.();
  await using killFolder = await temporaryFolder();
  // Settings are left at their defaults where possible: so is MAX_ATTEMPTS.
  await using scene = await startScene({
    redis,
    agents: ['scenario-agent', 'crash-agent', 'limited-agent', 'keyed-agent', 'upload-agent'],
    gateways: 2,
    workers,
    startWithinMs: START_WITHIN_MS,
    env: {
      RETENTION_MS: String(retentionMs),
      REPLAY_MS: String(retentionMs),
      IDEMPOTENCY_MS: String(retentionMs),
      MIN_CRON_INTERVAL_MS: '1000',
      ...pushSettings,
      WAIT_REPLICAS: mayLoseEvents ? '1' : '0',
      NODE_OPTIONS: [clockStep, ...(stores ? [killAtCopy] : []), HEAP].join(' '),
      KILL_FOLDER: killFolder.path,
      ...stores?.archive.env,
      ...stores?.bucket.env,
      CLOCK_STEP_MS: seed % 2 === 0 ? '30000' : '-30000',
    },
  });
  const { stack, prefix } = scene;
  await using receiver = await startPushReceiver();
  const random = new SeededRandom(seed);
  const target = targetOn({ stack, redis, random, prefix, stores, killFolder: killFolder.path });
  const kept = stores && new KeptTasks(stack, target.outages);
  const traffic = { ...options, gateways: stack, receiver, begunMs: scene.begunMs, kept, rememberedMs: retentionMs };
  const { seen, runUntil } = startTraffic(traffic);
  kept?.start();
  const onFault = (name: string, number: number): void =>
    log(`${number}/${count}  ${name.padEnd(50)} ${seen.played} tasks, ${seen.violations.length} violations`);
  const injected = injectFaults(target, { ...options, onFault });
  await runUntil(injected);
  await kept?.stop();
  const effects = await scene.effects();
  const crashed = stack.programs.filter((program) => !program.isRunning() && !target.victims.has(program.pid));
  const leaked = await leakedKeys(redis, prefix, 3 * retentionMs);
  // Redis has forgotten all of them.
  await kept?.checkAll();
  const left = stores && kept ? await leftWhenDeleted(stores, kept, { redisUrl: redis.url, prefix }) : [];
  const violations = [
    ...seen.violations,
    ...(kept?.violations ?? []),
    ...left,
    ...lateEffects(effects, seen.endedMs),
    ...begunThoughRejected(effects, seen.rejected),
    // A fail-over may lose the end of a step, and the start of a turn.
    ...(mayLoseEvents ? [] : [...repeatedSteps(effects), ...beyondLimits(await scene.confirmed())]),
    ...crashed.map(({ pid, output }): Violation => ({ kind: 'crashes', what: `${pid}: ${output().slice(-500)}` })),
    ...leakedSecrets(stack.programs, [...secrets, ...(stores ? [stores.archive.secret, stores.bucket.secret] : [])]),
    ...leaked.map((what): Violation => ({ kind: 'keys', what })),
  ];
  for (const line of linesAbout(violations, stack.programs)) log(line);
  const seconds = Math.round((performance.now() - begun) / 1_000);
  // How often each fault was injected.
  const { played: tasks, resumed: resumedStreams, rejected } = seen;
  const faults = await injected;
  return {
    violations,
    late: takeLate(),
    tasks,
    rejected: rejected.size,
    faults,
    resumedStreams,
    seconds,
    kept: kept?.done,
  };
}

/** Deletes all tasks, and sweeps: nothing of them is left. */
async function leftWhenDeleted(
  { bucket }: Stores,
  kept: KeptTasks,
  { redisUrl, prefix }: { readonly redisUrl: string; readonly prefix: string },
): Promise<Violation[]> {
  const store = new Store({ redisUrl, prefix }, () => undefined);
  await store.start('reader');
  const deployment = await store.deploymentId();
  await store.stop();
  await kept.deleteAll();
  await bucket.sweep(deployment, (ids) => kept.existing(ids));
  return leftFiles(await bucket.objects());
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
  /** Gets all ended tasks. With it, some clients send files. */
  readonly kept?: KeptTasks | undefined;
  /** See `PlayOptions`. */
  readonly rememberedMs?: number;
  /**
   * See `PlayOptions`. With it, some messages are scheduled, have a priority or a time to live, or are for agents with
   * limits.
   */
  readonly begunMs?: (taskId: string) => Promise<number | undefined>;
}

function kindsOf({ begunMs, kept }: TrafficOptions): ScenarioKind[] {
  return [...scenarioKinds, ...(begunMs ? limitedKinds : []), ...(kept ? (['upload'] as const) : [])];
}

/** Starts clients that play scenarios one after the other. */
export function startTraffic(options: TrafficOptions) {
  const { gateways, onRetry, seed, clients, tasks, mayLoseEvents, receiver, kept, begunMs, rememberedMs, log } =
    options;
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
    const kinds = kindsOf(options);
    while (!isOver) {
      const key = `s${seed}.${n}.${begun++}`;
      const kind = random.pick(kinds);
      const scenario = createScenario(kind, key, {
        size: random.between(1, 6) * random.between(1, 4),
        watches: random.pick(['sse', 'sse', 'grpc', 'not', 'not']),
        isPushed: random.next() < 0.25,
        ...(begunMs && askedBy(random, mayLoseEvents)),
      });
      const agent = agentOf(kind);
      const ended: string[] = [];
      const onEnded = (task: Task): void => {
        const { id, status } = task;
        ended.push(id);
        seen.endedMs.set(id, machineMs());
        if (status.state === 'TASK_STATE_REJECTED') seen.rejected.add(id);
        kept?.add({ task, agent, sha256: scenario.file?.sha256 });
      };
      const options = {
        receiver,
        mayLoseEvents,
        onEnded,
        ...(begunMs && { begunMs }),
        ...(rememberedMs && { rememberedMs }),
      };
      const client = clientOf(agent);
      const { violations, resumed } = await playScenario(client, scenario, options);
      kept?.deleteSome(ended, random);
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
