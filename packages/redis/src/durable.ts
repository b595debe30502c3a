import { setTimeout as delay } from 'node:timers/promises';
import { type RedisConnection, retryDelayMs } from './connection.ts';
import { isRedirected, NotReplicated } from './errors.ts';
import { nothing } from './reply.ts';
import { defineScript, type Script, type ScriptCall, type ScriptText } from './script.ts';
import { keyBeside } from './slots.ts';

export interface DurableDependencies {
  readonly redis: RedisConnection;
  /** For writes that wait for replicas; other commands must not wait behind them. Unset: no write waits. */
  readonly replicated: RedisConnection | undefined;
  readonly settings: { readonly waitReplicas: number };
}

export const countConfirmedScript = defineScript({
  file: 'count-confirmed.lua',
  from: import.meta.url,
  keys: ['confirmed'],
  args: [],
  reply: nothing,
});

/** Healthy replicas need about a millisecond. */
const REPLICATED_WITHIN_MS = 1_000;
/** A slot of a Cluster that moves. */
const MOVED_WITHIN_MS = 10_000;

/**
 * Runs a script, and waits for replicas if the deployment demands it: also when the script finds its work done, since
 * another connection may have done it a moment ago.
 * @throws {NotReplicated} the write may be stored nevertheless
 */
export function runDurably<Key extends string, Argument extends string, Entry extends string, Reply>(
  { redis, replicated, settings }: DurableDependencies,
  script: Script<Key, Argument, Entry, Reply>,
  call: ScriptCall<Key, Argument, Entry>,
): Promise<Reply> {
  if (!replicated) return script.run(redis, call);
  return script.runOver(replicated, call, (command) =>
    sendAndWait(replicated, { command, key: String(command[3]), replicas: settings.waitReplicas }),
  );
}

/**
 * Waits, if the deployment demands it, until replicas have what Redis was read to have: for an answer such as "it is
 * deleted" that needs no script.
 * @param key any key of the shard
 * @throws {NotReplicated}
 */
export async function confirmRead({ replicated, settings }: DurableDependencies, key: string): Promise<void> {
  if (replicated) await sendAndWait(replicated, { key, replicas: settings.waitReplicas });
}

/** In the slot of any key of a shard. */
export const confirmedKeyOf = (key: string): string => keyBeside(key, 'confirmed');

interface Sent {
  readonly command?: ScriptText;
  /** Of the command's slot. */
  readonly key: string;
  readonly replicas: number;
}

/**
 * Repeats what a Cluster refuses because the slot moves: ioredis sends a pipeline again only if all of it failed, and
 * WAIT does not fail.
 * @returns the command's reply
 * @throws {NotReplicated}
 */
async function sendAndWait(redis: RedisConnection, sent: Sent): Promise<unknown> {
  const startedAt = performance.now();
  const done: Done = { reply: undefined };
  for (let attempt = 0; ; attempt++) {
    try {
      return await trySendAndWait(redis, sent, done);
    } catch (error) {
      if (!isRedirected(error) || performance.now() - startedAt > MOVED_WITHIN_MS) throw error;
      // With a command alone ioredis follows the slot to its master, and remembers it.
      await redis.exists(sent.key);
      await delay(retryDelayMs(attempt));
    }
  }
}

/** What has been done of it. */
interface Done {
  /** Of the command; unset: it was not executed yet. */
  reply: { readonly value: unknown } | undefined;
}

/** All goes together over one connection, so that a fail-over in between cannot look like a confirmation. */
async function trySendAndWait(redis: RedisConnection, { command, key, replicas }: Sent, done: Done): Promise<unknown> {
  let failure: Error | undefined;
  const confirmed = confirmedKeyOf(key);
  await countConfirmedScript.runOver(redis, { keys: { confirmed }, args: {} }, async (count) => {
    const ran = command !== undefined && !done.reply;
    const pipeline = redis.pipeline([...(ran ? [[...command]] : []), [...count]]);
    const replies = (await pipeline.wait(replicas, REPLICATED_WITHIN_MS).exec()) ?? [];
    if (ran) {
      const [error, value] = replies.shift() ?? [];
      if (error) {
        failure = error;
        return null;
      }
      done.reply = { value };
    }
    const [counted, waited] = replies;
    const error = counted?.[0] ?? waited?.[0];
    if (error) throw error;
    if (Number(waited?.[1]) < replicas) throw new NotReplicated(Number(waited?.[1]), replicas);
    return counted?.[1];
  });
  if (failure) throw failure;
  return done.reply?.value;
}
