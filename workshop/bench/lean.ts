import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { userMessage } from '../../tests/support/messages.ts';

/** The keys of the lean scripts. */
const PREFIX = 'lean{s0}:';
/** A hot loop would find everything in the processor's caches. */
const PACE_MS = 0.8;

/**
 * A floor for the cost of a task in Redis: three scripts that write the same facts as ours, for a message that needs
 * nothing else. They know no limits, batches, retries, webhooks, calls or steering, and no format of a queue.
 */
export async function openLean(redis: Redis): Promise<{ run(tasks: number): Promise<void> }> {
  const load = async (file: string): Promise<string> => {
    const source = await readFile(new URL(`lean/${file}.lua`, import.meta.url), 'utf8');
    return String(await redis.script('LOAD', source));
  };
  const [accept, take, complete] = await Promise.all([load('accept'), load('take'), load('complete')]);
  const one = async (): Promise<void> => {
    const [id, run, time, { messageId, ...rest }] = [randomUUID(), randomUUID(), new Date(), userMessage('hi')];
    const [now, timestamp, message] = [time.getTime(), time.toISOString(), JSON.stringify({ messageId, ...rest })];
    const entry = `"${messageId}"\n{"message":${message},"scopes":[]}`;
    const owner = 'default/anonymous/bench';
    await redis.evalsha(accept, 0, PREFIX, id, messageId, owner, now, entry, message, timestamp);
    await redis.evalsha(take, 0, PREFIX, now, run);
    await redis.evalsha(complete, 0, PREFIX, id, now, run, message, timestamp);
  };
  return {
    async run(tasks) {
      for (let done = 0; done < tasks; done++) {
        await one();
        await delay(PACE_MS);
      }
    },
  };
}
