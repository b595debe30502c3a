import { join } from 'node:path';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import type { Program } from '../../../tests/support/process.ts';
import { type Stack, type StackOptions, startStack } from '../../../tests/support/stack.ts';
import { until } from '../../../tests/support/until.ts';
import { temporaryFolder } from '../../system.ts';
import { type RedisDeployment, startSingle } from '../redis/deployments.ts';
import { readConfirmed } from './held-places.ts';
import { eventually } from './lateness.ts';
import { ResilientClient } from './resilient-client.ts';
import type { LimitedKind } from './scenario.ts';
import { readEffects } from './violations.ts';

export interface SceneOptions extends Omit<StackOptions, 'redisUrl' | 'agents'> {
  /** Agents of `agents/`; the first is at the root. Default: the scenario agent. */
  readonly agents?: readonly ('scenario-agent' | 'crash-agent' | 'upload-agent' | `${LimitedKind}-agent`)[];
  /** A Redis that the caller owns. Default: a separate one, which is stopped with the scene. */
  readonly redis?: RedisDeployment;
}

/** Of callback URLs. Clients call back at any gateway. */
export const PUBLIC_URL = 'http://gateways.test';

export type Scene = Awaited<ReturnType<typeof startScene>>;

/**
 * Gateways and workers on one Redis, its first node, their client, and the URL of the first gateway; with the key
 * prefix, what the agents have noted (effects, and that they had their places), and when a task on the first shard was begun.
 */
export async function startScene({ agents = ['scenario-agent'], env, redis: given, ...options }: SceneOptions = {}) {
  await using owned = new AsyncDisposableStack();
  const redis = given ?? owned.use(await startSingle());
  const [prefix, folder] = [uniquePrefix(), owned.use(await temporaryFolder()).path];
  const [effectsFile, placesFile] = [join(folder, 'effects'), join(folder, 'places')];
  const own = {
    KEY_PREFIX: prefix,
    EFFECTS_FILE: effectsFile,
    PLACES_FILE: placesFile,
    DEFAULT_AGENT: agents[0] ?? '',
    LOG_LEVEL: 'info',
    PUBLIC_URL,
  };
  const stack = owned.use(
    await startStack({
      redisUrl: redis.url,
      agents: agents.map((agent) => `workshop/faults/agents/${agent}.ts`),
      env: { ...own, SHARDS: String(redis.shards), ...env },
      ...options,
    }),
  );
  const [[node], [url]] = [redis.nodes, stack.urls];
  if (!node || !url) throw new Error('there is no node or no gateway');
  const client = new ResilientClient(stack, 0);
  const kept = owned.move();
  const effects = () => readEffects(effectsFile);
  const confirmed = () => readConfirmed(placesFile);
  const begunMs = (taskId: string) => firstBegin(redis, `${prefix}{s0}:t:${taskId}`);
  return {
    stack,
    redis,
    node,
    client,
    url,
    prefix,
    effects,
    confirmed,
    begunMs,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** When a worker first began a task, by Redis' clock; undefined: none did. @param key of its record */
async function firstBegin(redis: RedisDeployment, key: string): Promise<number | undefined> {
  const read = async (): Promise<string | false> => {
    const [node] = await redis.masters();
    const reply = await node?.ask(`HGET ${key} l1`, 1_000).catch(() => undefined); // it is restarted
    return reply?.startsWith('$') ? reply : false;
  };
  const reply = await eventually(read, { what: `${key} is read`, timeoutMs: 30_000, everyMs: 100 });
  const [, ms] = /^(\d+) /m.exec(reply) ?? [];
  return ms === undefined ? undefined : Number(ms);
}

/** Waits until the end of a process is noticed, and starts another one. @param wanted how many there were */
export async function replaceDead(stack: Stack, wanted: { readonly gateways: number; readonly workers: number }) {
  const missing = () => ({
    gateways: wanted.gateways - stack.gateways.length,
    workers: wanted.workers - stack.workers.length,
  });
  const isNoticed = (): boolean => Object.values(missing()).some((count) => count > 0);
  await until(isNoticed, { what: 'the end of the process is noticed' });
  const { gateways, workers } = missing();
  await Promise.all([
    ...Array.from({ length: workers }, () => stack.addWorker()),
    ...Array.from({ length: gateways }, () => stack.addGateway()),
  ]);
}

export type Keeper = ReturnType<typeof keepWorkers>;

/**
 * Restarts workers that die, like a supervisor in production, and counts them. `release` stops that, `stop` also stops
 * the stack.
 */
export function keepWorkers(stack: Stack) {
  let restarts = 0;
  let isReleased = false;
  const keep = async (first: Program): Promise<void> => {
    let worker: Program | undefined = first;
    for (;;) {
      await worker?.exited;
      if (isReleased) return;
      restarts++;
      // A worker that takes a poison message at its start dies before it is ready, and is replaced next.
      worker = await stack.addWorker().catch(() => undefined);
    }
  };
  const kept = stack.workers.map(keep);
  const release = (): void => {
    isReleased = true;
  };
  const stop = async (): Promise<void> => {
    release();
    await stack.stop();
    await Promise.all(kept);
  };
  return {
    get restarts() {
      return restarts;
    },
    release,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
