import { hash } from 'node:crypto';
import type { RedisConnection } from '../redis/connection.ts';
import type { Scope } from '../redis/scope.ts';
import type { StoreSettings } from '../redis/settings.ts';
import type { Shards } from '../redis/shards.ts';
import { keyName, retryName, type Submission } from './submission.ts';

export interface KeyPort {
  readonly redis: RedisConnection;
  readonly shards: Shards;
  readonly settings: Pick<StoreSettings, 'idempotencyMs'>;
}

/** A change of a task that comes with a key of the client, and may be a retry. */
export interface KeyedRequest {
  readonly taskId: string;
  readonly key: string;
  /** What is asked for, as JSON: a retry asks for the same. */
  readonly request: string;
}

/** `conflict`: the key came before with another request. */
export type KeyClaim = 'first' | 'retry' | 'conflict';

/**
 * Remembers the key of a change that may be made twice without harm; messages have theirs in the step that accepts them
 * (accept.lua), under the same names.
 */
export async function claimKey(port: KeyPort, scope: Scope, keyed: KeyedRequest): Promise<KeyClaim> {
  const { redis, shards, settings } = port;
  const { taskId, key, request } = keyed;
  const name = shards.of(taskId).accepted(scope, keyName(key));
  const print = hash('sha256', request, 'base64url').slice(0, 22);
  const claimed = await redis.set(name, print, 'PX', settings.idempotencyMs, 'NX');
  if (claimed !== null) return 'first';
  return (await redis.get(name)) === print ? 'retry' : 'conflict';
}

/** For a change that was refused: the key is free again. */
export async function releaseKey({ redis, shards }: KeyPort, scope: Scope, keyed: KeyedRequest): Promise<void> {
  await redis.del(shards.of(keyed.taskId).accepted(scope, keyName(keyed.key)));
}

/**
 * The task that got a message of this name, if one was accepted; an ended task may be deleted since.
 * @param neighbour a task of the same context, there or not: both are on one shard
 */
export async function taskOfMessage(
  { redis, shards }: KeyPort,
  scope: Scope,
  neighbour: string,
  sent: Pick<Submission, 'message' | 'idempotencyKey'>,
): Promise<string | undefined> {
  const known = await redis.get(shards.of(neighbour).accepted(scope, retryName(sent)));
  // As first-answer.lua reads it: fingerprint, task, number.
  return known?.split(' ')[1];
}
