import { setTimeout as delay } from 'node:timers/promises';
import { inspectSchema, schema } from '@switchyard/schema';
import type { Program } from '../../tests/support/process.ts';
import type { Stack } from '../../tests/support/stack.ts';
import { patience, until } from '../../tests/support/until.ts';
import { startTraffic } from '../faults/chaos.ts';
import { startProber } from '../faults/fail-overs.ts';
import { playScenario } from '../faults/workload/play-scenario.ts';
import { pushSettings, startPushReceiver } from '../faults/workload/push-receiver.ts';
import { ResilientClient, type Retry } from '../faults/workload/resilient-client.ts';
import { createScenario } from '../faults/workload/scenario.ts';
import { startScene } from '../faults/workload/scene.ts';
import { lateEffects, openInIndexes, repeatedSteps } from '../faults/workload/violations.ts';

export interface UpgradeOptions {
  /** Folders of the checkouts of both releases. */
  readonly before: string;
  readonly after: string;
  /** Upgrades, downgrades and upgrades again; repeats that until this time is up. */
  readonly forMs: number;
  readonly clients: number;
  readonly seed: number;
  readonly log: (line: string) => void;
}

/** Upgrade, downgrade and upgrade: gateways of each release have had workers of the other. */
const rolls = [
  { name: 'new gateways, then new workers', to: 'after', order: ['gateways', 'workers'] },
  { name: 'back: old workers, then old gateways', to: 'before', order: ['workers', 'gateways'] },
  { name: 'new workers, then new gateways', to: 'after', order: ['workers', 'gateways'] },
] as const;

/** Tasks that wait for an answer, work, stream or run steps while every program is replaced; with their sizes. */
const spanningTasks = [
  ['talk', 2],
  ['talk', 2],
  ['wait', 1],
  ['stream', 600],
  ['steps', 250],
] as const;

/** Replaces all programs of a release by those of another under load, and back. @returns everything that went wrong */
export async function runUpgrade(options: UpgradeOptions) {
  const begun = performance.now();
  await using scene = await startScene({ gateways: 2, workers: 2, env: pushSettings, release: options.before });
  const { redis, stack, prefix } = scene;
  const log = (line: string): void => options.log(`${Math.round((performance.now() - begun) / 1_000)} s  ${line}`);
  log('gateways and workers of the old release run');
  await using receiver = await startPushReceiver();
  const retries: Retry[] = [];
  const onRetry = (retry: Retry): void => void retries.push(retry);
  const traffic = startTraffic({ ...options, log, tasks: 0, gateways: stack, receiver, mayLoseEvents: false, onRetry });
  const { violations } = traffic.seen;
  const prober = startProber(stack, 'prober', { onRetry });
  const stopped = new Set<string>();
  let [spanning, replaced] = [0, 0];
  const onStop = (program: Program): void => {
    replaced++;
    log(`program ${replaced} is replaced`);
    if ('url' in program) stopped.add(String(program.url));
  };

  /**
   * One replacement of all programs. Tasks that were open before are answered, canceled, or read to their end
   * afterwards.
   */
  const overRoll = async ({ name, to, order }: (typeof rolls)[number]): Promise<void> => {
    let held = 0;
    const gate = Promise.withResolvers<void>();
    const goOn = (): Promise<void> => {
      held++;
      return gate.promise;
    };
    const played = spanningTasks.map(([kind, size], n) => {
      const scenario = createScenario(kind, `roll${spanning}.${n}`, { size, watches: 'sse' });
      return playScenario(new ResilientClient(stack, n, onRetry), scenario, { goOn });
    });
    await until(() => held === played.length, { what: 'there are open tasks', timeoutMs: 30_000 });
    for (const part of order) await roll(stack, { part, to: options[to], mayHang: to === 'after', onStop });
    gate.resolve();
    violations.push(...(await Promise.all(played)).flatMap((one) => one.violations));
    spanning += played.length;
    log(`${name}: ${traffic.seen.played} tasks, ${violations.length} violations, ${retries.length} retries`);
  };
  const rolling = (async () => {
    do for (const each of rolls) await overRoll(each);
    while (performance.now() - begun < options.forMs);
  })();
  await traffic.runUntil(rolling);
  await prober.stop();
  log('all tasks have ended');
  const effects = await scene.effects();
  violations.push(...lateEffects(effects, traffic.seen.endedMs), ...repeatedSteps(effects));
  violations.push(...(await openInIndexes(redis.url, prefix, 'scenario-agent')));
  const isDone = async (): Promise<boolean> =>
    (await inspectSchema({ redisUrl: redis.url, prefix, shards: redis.shards })).migrated === schema.version;
  const migrated = until(isDone, { what: 'all is migrated', timeoutMs: 30_000, everyMs: 500 });
  return {
    violations,
    // Requests that got no answer, and that a load balancer could not repeat.
    failed: retries.filter(({ isAsked, url }) => !isAsked || !stopped.has(url)),
    tasks: traffic.seen.played + spanning + prober.seen.accepted.length,
    // Tasks that were open during a whole replacement.
    spanning,
    retried: retries.length,
    resumedStreams: traffic.seen.resumed,
    replaced,
    // Whether the old release's data was migrated once none of its programs ran.
    isMigrated: await migrated.catch(() => false),
    // The longest time between two answers to a client that sends one message after the other.
    worstPauseMs: Math.round(prober.seen.worstOutageMs),
    seconds: Math.round((performance.now() - begun) / 1_000),
  };
}

interface Roll {
  readonly part: 'gateways' | 'workers';
  /** The folder of the release. */
  readonly to: string;
  /** The programs that are stopped are of the old release: one that does not end is killed, as orchestrators do. */
  readonly mayHang: boolean;
  readonly onStop: (program: Program) => void;
}

/** How long a program may take to end; DRAIN_MS is shorter. */
const GRACE_MS = 60_000 * patience;

/** Replaces all programs of a kind one after the other: each is stopped once its successor works. */
async function roll(stack: Stack, { part, to, mayHang, onStop }: Roll): Promise<void> {
  for (const old of [...stack[part]]) {
    if (part === 'gateways') await stack.addGateway(0, to);
    else await stack.addWorker(to);
    await stack.untilReady();
    onStop(old);
    old.kill('SIGTERM');
    const code = await Promise.race([old.exited, delay(GRACE_MS, 'hangs', { ref: false })]);
    if (code === 'hangs') old.kill('SIGKILL');
    if (code !== 0 && !(code === 'hangs' && mayHang))
      throw new Error(`a program of ${part} ended with ${code}: ${old.output().slice(-2_000)}`);
  }
}
