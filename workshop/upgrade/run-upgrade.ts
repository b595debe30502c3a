import { join } from 'node:path';
import { inspectSchema, schema } from '@switchyard/store';
import { uniquePrefix } from '../../tests/support/prefix.ts';
import { type Stack, startStack } from '../../tests/support/stack.ts';
import { until } from '../../tests/support/until.ts';
import { Traffic } from '../faults/chaos/traffic.ts';
import type { RedisDeployment } from '../faults/redis/deployment.ts';
import { startSingle } from '../faults/redis/single.ts';
import { Prober } from '../faults/trials/prober.ts';
import { openInIndexes } from '../faults/workload/open-tasks.ts';
import { playScenario } from '../faults/workload/play-scenario.ts';
import { PushReceiver, pushSettings } from '../faults/workload/push-receiver.ts';
import { ResilientClient, type Retry } from '../faults/workload/resilient-client.ts';
import { createScenario } from '../faults/workload/scenario.ts';
import { lateEffects, readEffects, repeatedSteps, type Violation } from '../faults/workload/violations.ts';
import { temporaryFolder } from '../system.ts';
import { type Release, type Roll, roll, rollsBetween } from './roll.ts';

export interface UpgradeOptions {
  readonly before: Release;
  readonly after: Release;
  /** There, back and there again, and again until this is over. */
  readonly forMs: number;
  readonly clients: number;
  readonly seed: number;
  readonly log: (line: string) => void;
}

export interface UpgradeReport {
  readonly violations: readonly Violation[];
  /** Requests that were neither answered nor to be sent again by a load balancer. */
  readonly failed: readonly Retry[];
  readonly tasks: number;
  /** Of them those that were open over a whole roll. */
  readonly spanning: number;
  readonly retried: number;
  readonly resumedStreams: number;
  readonly replaced: number;
  /** What the release before had left: once none of its programs was there any more. */
  readonly isMigrated: boolean;
  /** The longest time between two answers to a client that sends one message after the other, each to its end. */
  readonly worstPauseMs: number;
  readonly seconds: number;
}

const agent = 'scenario-agent';

/** Replaces all programs of a release by those of another under load, and back, and finds everything that went wrong. */
export async function runUpgrade(options: UpgradeOptions): Promise<UpgradeReport> {
  const begun = performance.now();
  const prefix = uniquePrefix();
  await using folder = await temporaryFolder();
  const effectsFile = join(folder.path, 'effects');
  await using redis = await startSingle();
  await using stack = await startBefore(options, redis, { KEY_PREFIX: prefix, EFFECTS_FILE: effectsFile });
  await using receiver = new PushReceiver();
  const pushes = { url: await receiver.start(), receiver };
  const retries: Retry[] = [];
  const onRetry = (retry: Retry): void => void retries.push(retry);
  const traffic = new Traffic({ ...options, tasks: 0, gateways: stack, pushes, mayLoseEvents: false, onRetry });
  const stopped = new Set<string>();
  const prober = new Prober(stack, 'prober', { onRetry });
  prober.start();
  let spanning = 0;
  let replaced = 0;
  const rolling = (async () => {
    do {
      for (const each of rollsBetween(options.before, options.after)) {
        const spanned = await overRoll(stack, each, {
          key: `roll${spanning}`,
          onRetry,
          onStop: (url) => {
            replaced++;
            if (url) stopped.add(url);
          },
        });
        traffic.violations.push(...spanned.violations);
        spanning += spanned.tasks;
        options.log(
          `${each.name}: ${traffic.played} tasks, ${traffic.violations.length} violations, ${retries.length} retries`,
        );
      }
    } while (performance.now() - begun < options.forMs);
  })();
  await traffic.runUntil(rolling);
  await prober.stop();
  const effects = await readEffects(effectsFile);
  traffic.violations.push(...lateEffects(effects, traffic.endedMs), ...repeatedSteps(effects));
  traffic.violations.push(...(await openInIndexes(redis.url, prefix, agent)));
  return {
    violations: traffic.violations,
    failed: retries.filter(({ isAsked, url }) => !isAsked || !stopped.has(url)),
    tasks: traffic.played + spanning + prober.accepted.length,
    spanning,
    retried: retries.length,
    resumedStreams: traffic.resumed,
    replaced,
    isMigrated: await isMigrated(redis, prefix),
    worstPauseMs: Math.round(prober.worstOutageMs),
    seconds: Math.round((performance.now() - begun) / 1_000),
  };
}

async function isMigrated({ url: redisUrl, shards }: RedisDeployment, prefix: string): Promise<boolean> {
  const isDone = async (): Promise<boolean> =>
    (await inspectSchema({ redisUrl, prefix, shards })).migrated === schema.version;
  return until(isDone, { what: 'all is migrated', timeoutMs: 30_000, everyMs: 500 }).catch(() => false);
}

function startBefore(
  { before }: UpgradeOptions,
  redis: RedisDeployment,
  own: Readonly<Record<string, string>>,
): Promise<Stack> {
  const env = { ...own, ...pushSettings, DEFAULT_AGENT: agent, LOG_LEVEL: 'info' };
  const agents = ['workshop/faults/agents/scenario-agent.ts'];
  return startStack({ redisUrl: redis.url, agents, gateways: 2, workers: 2, env, release: before });
}

interface Spanning {
  readonly key: string;
  readonly onRetry: (retry: Retry) => void;
  readonly onStop: (url: string | undefined) => void;
}

/** Asked back, working, streamed and stepping while every program is replaced. */
const spanningKinds = ['talk', 'talk', 'wait', 'stream', 'steps'] as const;
const LONG = { talk: 2, wait: 1, stream: 600, steps: 250 } as const;

/** One roll, and tasks that were open before it and are answered, canceled, or read to their end after it. */
async function overRoll(stack: Stack, each: Roll, { key, onRetry, onStop }: Spanning) {
  let held = 0;
  const gate = Promise.withResolvers<void>();
  const goOn = (): Promise<void> => {
    held++;
    return gate.promise;
  };
  const played = spanningKinds.map((kind, n) => {
    const scenario = createScenario(kind, `${key}.${n}`, { size: LONG[kind], watches: 'sse' });
    return playScenario(new ResilientClient(stack, n, onRetry), scenario, { goOn });
  });
  await until(() => held === played.length, { what: 'tasks are open', timeoutMs: 30_000 });
  await roll(stack, each, (program) => onStop('url' in program ? String(program.url) : undefined));
  gate.resolve();
  const violations = (await Promise.all(played)).flatMap((one) => one.violations);
  return { violations, tasks: played.length };
}
