// `npm run workshop fairness`: one tenant has thousands of waiting messages, another sends one. It must begin within
// the time of a turn plus twice the time that it takes when nobody else sends.

import { setTimeout as delay } from 'node:timers/promises';
import { Store } from '@switchyard/store';
import { userMessage } from '../../tests/support/messages.ts';
import { send } from '../../tests/support/rest.ts';
import { count, readCommandLine } from '../options.ts';
import { median } from '../statistics.ts';
import { startOwnSystem } from '../system.ts';
import { conclude, ms } from '../tables.ts';

/** Duration of a turn of agents/limited.ts, which runs two at a time. */
export const TURN_MS = 50;
const PREFIX = 'fairness';
const AT_ONCE = 160;

/**
 * @param queued messages of the other tenant  @param sent messages of the client, one after the other
 * @returns median ms until a turn begins without and with the other tenant; how many of the other's messages still wait
 */
export async function measureFairness({ queued, sent }: { queued: number; sent: number }) {
  const env = { DEFAULT_AGENT: 'limited', KEY_PREFIX: PREFIX };
  await using system = await startOwnSystem({ agents: ['workshop/load/agents/limited.ts'], env });
  const { url } = system.gateway;
  await startsMs(url, 3);
  const idleMs = await startsMs(url, sent);
  const store = new Store({ redisUrl: system.redis.url, prefix: PREFIX }, () => undefined);
  await using _ = { [Symbol.asyncDispose]: () => store.stop() };
  await store.start();
  await fill(store, queued);
  const besideMs = await startsMs(url, sent);
  return { idleMs, besideMs, waiting: await store.queue.waiting('limited') };
}

/** With a random pause before each message, so that it arrives at any moment of the running turns. */
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

if (import.meta.main) {
  const { queued } = readCommandLine({
    usage: 'npm run workshop fairness [-- options]',
    options: { queued: count('waiting messages of the other tenant', '50000', ['1', '1000000']) },
  }).options;
  const { idleMs, besideMs, waiting } = await measureFairness({ queued, sent: 40 });
  const mostMs = 2 * idleMs + TURN_MS;
  process.stdout.write(
    `a turn begins after ${ms(idleMs)} when nobody else sends, and after ${ms(besideMs)} beside ${waiting} messages of ` +
      'another tenant\n',
  );
  conclude(besideMs <= mostMs, `at most ${ms(mostMs)} are fair`);
}
