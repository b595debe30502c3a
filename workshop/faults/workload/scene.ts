import { type Stack, type StackOptions, startStack } from '../../../tests/support/stack.ts';
import type { RedisDeployment } from '../redis/deployment.ts';
import type { RedisNode } from '../redis/redis-node.ts';
import { startSingle } from '../redis/single.ts';
import { ResilientClient } from './resilient-client.ts';

export interface SceneOptions extends Omit<StackOptions, 'redisUrl' | 'agents'> {
  /** Which of `agents/` runs. */
  readonly agent?: 'scenario-agent' | 'crash-agent';
  /** That of its owner; left out: one of its own, which goes with the scene. */
  readonly redis?: RedisDeployment;
}

/** Gateways and workers on one Redis, and a client of theirs. */
export interface Scene extends AsyncDisposable {
  readonly stack: Stack;
  readonly redis: RedisDeployment;
  /** The only Redis, or the first. */
  readonly node: RedisNode;
  readonly client: ResilientClient;
  /** Of the first gateway. */
  readonly url: string;
}

export async function startScene({ agent = 'scenario-agent', env, redis: given, ...options }: SceneOptions = {}) {
  await using owned = new AsyncDisposableStack();
  const redis = given ?? owned.use(await startSingle());
  const settings = { DEFAULT_AGENT: agent, SHARDS: String(redis.shards), LOG_LEVEL: 'info', ...env };
  const agents = [`workshop/faults/agents/${agent}.ts`];
  const stack = owned.use(await startStack({ redisUrl: redis.url, agents, env: settings, ...options }));
  const [[node], [url]] = [redis.nodes, stack.urls];
  if (!node || !url) throw new Error('nothing runs');
  const kept = owned.move();
  const scene: Scene = {
    stack,
    redis,
    node,
    client: new ResilientClient(stack, 0),
    url,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
  return scene;
}
