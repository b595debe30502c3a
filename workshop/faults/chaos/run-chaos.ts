import { join } from 'node:path';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { type Stack, startStack } from '../../../tests/support/stack.ts';
import { SeededRandom } from '../../statistics.ts';
import { temporaryFolder } from '../../system.ts';
import { type Fault, injectFaults, Target } from '../inject/fault.ts';
import type { RedisDeployment } from '../redis/deployment.ts';
import { PushReceiver, pushSettings } from '../workload/push-receiver.ts';
import {
  lateEffects,
  leakedKeys,
  leakedSecrets,
  readEffects,
  repeatedSteps,
  type Violation,
} from '../workload/violations.ts';
import { Traffic } from './traffic.ts';

export interface ChaosOptions {
  readonly startRedis: () => Promise<RedisDeployment>;
  readonly faults: readonly Fault[];
  /** Least tasks and least faults of a run. */
  readonly tasks: number;
  readonly count: number;
  readonly seed: number;
  readonly clients: number;
  readonly workers: number;
  /** Between two faults, at random. */
  readonly pauseMs: readonly [least: number, most: number];
  /** Of ended tasks: long enough to be looked at, short enough to see that nothing is left of them. */
  readonly retentionMs: number;
  /** A fail-over may lose what no replica has; acknowledgements wait for one (WAIT_REPLICAS=1). */
  readonly mayLoseEvents?: boolean;
  /** Must not be in any log. */
  readonly secrets?: readonly string[];
  readonly log: (line: string) => void;
}

export interface ChaosReport {
  readonly violations: readonly Violation[];
  readonly tasks: number;
  /** How often each was injected. */
  readonly faults: Readonly<Record<string, number>>;
  readonly resumedStreams: number;
  readonly seconds: number;
}

const GATEWAYS = 2;
const clockStep = new URL('../inject/shifted-clock.ts', import.meta.url).href;

/**
 * Tasks of all kinds, while faults are injected into whatever holds them; then everything that is wrong with any of
 * them.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const begun = performance.now();
  const random = new SeededRandom(options.seed);
  const prefix = uniquePrefix();
  await using folder = await temporaryFolder();
  const effectsFile = join(folder.path, 'effects');
  await using redis = await options.startRedis();
  await using stack = await startStack({
    redisUrl: redis.url,
    agents: ['workshop/faults/agents/scenario-agent.ts', 'workshop/faults/agents/crash-agent.ts'],
    gateways: GATEWAYS,
    workers: options.workers,
    env: environment(options, { KEY_PREFIX: prefix, SHARDS: String(redis.shards), EFFECTS_FILE: effectsFile }),
  });
  await using receiver = new PushReceiver();
  const pushes = { url: await receiver.start(), receiver };
  const traffic = new Traffic({ ...options, gateways: stack, pushes, mayLoseEvents: options.mayLoseEvents ?? false });
  const target = new Target(stack, redis, random);
  const injected = injectFaults(target, {
    ...options,
    onFault: (name, number) =>
      options.log(
        `${number}/${options.count}  ${name.padEnd(50)} ${traffic.played} tasks, ${traffic.violations.length} violations`,
      ),
  });
  await traffic.runUntil(injected);
  const effects = await readEffects(effectsFile);
  traffic.violations.push(
    ...lateEffects(effects, traffic.endedMs),
    ...(options.mayLoseEvents ? [] : repeatedSteps(effects)),
    ...crashed(stack, target.victims),
    ...leakedSecrets(stack.programs, options.secrets ?? []),
    ...(await leakedKeys(redis, prefix, 3 * options.retentionMs)).map((what): Violation => ({ kind: 'keys', what })),
  );
  return {
    violations: traffic.violations,
    tasks: traffic.played,
    faults: await injected,
    resumedStreams: traffic.resumed,
    seconds: Math.round((performance.now() - begun) / 1_000),
  };
}

/** With the settings that deployments have, as far as possible: MAX_ATTEMPTS is its default. */
function environment(options: ChaosOptions, own: Readonly<Record<string, string>>): Record<string, string> {
  const kept = String(options.retentionMs);
  return {
    ...own,
    DEFAULT_AGENT: 'scenario-agent',
    RETENTION_MS: kept,
    REPLAY_MS: kept,
    IDEMPOTENCY_MS: kept,
    LOG_LEVEL: 'info',
    ...pushSettings,
    WAIT_REPLICAS: options.mayLoseEvents ? '1' : '0',
    NODE_OPTIONS: `--import=${clockStep} --max-old-space-size=512`,
    CLOCK_STEP_MS: options.seed % 2 === 0 ? '30000' : '-30000',
  };
}

function crashed({ programs }: Stack, victims: ReadonlySet<number>): Violation[] {
  return programs
    .filter((program) => !program.isRunning() && !victims.has(program.pid))
    .map((program): Violation => ({ kind: 'crashes', what: `${program.pid}: ${program.output().slice(-500)}` }));
}
