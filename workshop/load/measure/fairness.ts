import { setTimeout as delay } from 'node:timers/promises';
import { Store } from '@switchyard/store';
import { userMessage } from '../../../tests/support/messages.ts';
import { startRedis } from '../../../tests/support/redis.ts';
import { send } from '../../../tests/support/rest.ts';
import { startStack } from '../../../tests/support/stack.ts';
import { median } from '../../statistics/quantile.ts';

/** Until the turn of a client's message begins: medians, in ms. */
export interface Fairness {
  /** Nobody else sends. */
  readonly idleMs: number;
  /** The messages of another tenant wait. */
  readonly besideMs: number;
  /** How many still wait afterwards. */
  readonly waiting: number;
}

/** What a turn of agents/limited.ts takes: two at a time. */
export const TURN_MS = 50;
const PREFIX = 'fairness';
const AT_ONCE = 160;

/** @param queued messages of the other tenant. @param sent messages of the client, one after the other */
export async function measureFairness({ queued, sent }: { queued: number; sent: number }): Promise<Fairness> {
  await using parts = new AsyncDisposableStack();
  const redis = await startRedis({ appendOnly: true });
  parts.defer(redis.stop);
  const env = { DEFAULT_AGENT: 'limited', GRPC_PORT: 'off', LOG_LEVEL: 'info', KEY_PREFIX: PREFIX };
  const stack = parts.use(await startStack({ redisUrl: redis.url, agents: ['workshop/load/agents/limited.ts'], env }));
  const [url = ''] = stack.urls;
  await startsMs(url, 3);
  const idleMs = await startsMs(url, sent);
  const store = new Store({ redisUrl: redis.url, prefix: PREFIX }, () => undefined);
  parts.defer(() => store.stop());
  await store.start();
  await fill(store, queued);
  const besideMs = await startsMs(url, sent);
  return { idleMs, besideMs, waiting: await store.queue.waiting('limited') };
}

/** With a pause of any length before each, so that they come at any moment of the turns that run. */
async function startsMs(url: string, count: number): Promise<number> {
  const took: number[] = [];
  for (let n = 0; n < count; n++) {
    await delay((n * 17) % TURN_MS);
    const begun = performance.now();
    await send(url, userMessage('hello'));
    took.push(performance.now() - begun - TURN_MS);
  }
  return median(took);
}

async function fill(store: Store, count: number): Promise<void> {
  const scope = { principal: { tenant: 'heavy', subject: 'someone', scopes: [] }, agent: 'limited' };
  for (let n = 0; n < count; n += AT_ONCE) {
    const few = Array.from({ length: Math.min(AT_ONCE, count - n) }, () =>
      store.tasks.accept(scope, { message: userMessage('hello') }),
    );
    const refused = (await Promise.all(few)).find(({ verdict }) => verdict !== 'accepted');
    if (refused) throw new Error(`a message was refused: ${refused.verdict}`);
  }
}
