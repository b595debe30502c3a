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

/** A change of a task with an idempotency key of the client; it may be a retry. */
export interface KeyedRequest {
  readonly taskId: string;
  readonly key: string;
  /** The request as JSON: a retry has the same. */
  readonly request: string;
}

/** `conflict`: the key came before with another request. */
export type KeyClaim = 'first' | 'retry' | 'conflict';

/**
 * Stores the key of an idempotent change. The keys of messages are stored in the step that accepts them (accept.lua),
 * under the same names.
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

/** Releases the key of a change that was refused. */
export async function releaseKey({ redis, shards }: KeyPort, scope: Scope, keyed: KeyedRequest): Promise<void> {
  await redis.del(shards.of(keyed.taskId).accepted(scope, keyName(keyed.key)));
}

/**
 * The task of a message with this name, if one was accepted. The task may have been deleted since.
 * @param neighbour a task of the same context, which need not exist: both are on one shard
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
