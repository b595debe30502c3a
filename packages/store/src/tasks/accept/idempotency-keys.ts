import { hash } from 'node:crypto';
import type { RedisConnection } from '../../redis/connection.ts';
import { ownerOf, type Scope } from '../../redis/scope.ts';
import type { StoreSettings } from '../../redis/settings.ts';
import type { Shards } from '../../redis/shards.ts';
import { keyName, retryName, type Submission } from './submission.ts';

export interface KeyPort {
  readonly redis: RedisConnection;
  readonly shards: Shards;
  readonly settings: Pick<StoreSettings, 'idempotencyMs'>;
}

/** A change with an idempotency key of the client; it may be a retry. */
export interface KeyedRequest {
  readonly key: string;
  /** The request as JSON: a retry has the same. */
  readonly request: string;
}

/** `conflict`: the key came before with another request. */
export type KeyClaim = 'first' | 'retry' | 'conflict';

/**
 * Stores the key of an idempotent change, whichever task it is of. The keys of messages are stored in the step that
 * accepts them (add-message.lua), under the same names.
 */
export async function claimKey(port: KeyPort, scope: Scope, { key, request }: KeyedRequest): Promise<KeyClaim> {
  return claim(port, redisKeyOf(port, scope, keyName(key)), hash('sha256', request, 'base64url').slice(0, 22));
}

/** Releases the key of a change that was refused. */
export async function releaseKey(port: KeyPort, scope: Scope, { key }: Pick<KeyedRequest, 'key'>): Promise<void> {
  await releaseName(port, scope, keyName(key));
}

/** Releases the name of a message that was refused. */
export async function releaseName(port: KeyPort, scope: Scope, name: string): Promise<void> {
  await port.redis.del(redisKeyOf(port, scope, name));
}

/**
 * A messageId, or an idempotency key, has one Redis key on one of the shards. The step that accepts a message sees the
 * keys of its own shard only, so the name of a message for another shard is claimed here before.
 * @param name `retryName` of the message
 * @param shardSeed of the message's task
 * @returns undefined: the step that accepts the message claims its name
 */
export async function claimNameOfMessage(
  port: KeyPort,
  scope: Scope,
  { name, fingerprint, shardSeed }: { readonly name: string; readonly fingerprint: string; readonly shardSeed: string },
): Promise<KeyClaim | undefined> {
  const redisKey = redisKeyOf(port, scope, name);
  return redisKey === port.shards.of(shardSeed).messageId(scope, name) ? undefined : claim(port, redisKey, fingerprint);
}

async function claim({ redis, settings }: KeyPort, redisKey: string, fingerprint: string): Promise<KeyClaim> {
  for (;;) {
    const claimed = await redis.set(redisKey, fingerprint, 'PX', settings.idempotencyMs, 'NX');
    if (claimed !== null) return 'first';
    const known = await redis.get(redisKey);
    if (known === fingerprint) return 'retry';
    // Free again: the first request was refused meanwhile.
    if (known !== null) return 'conflict';
  }
}

/** On the shard of a message with this name that makes a task, and names no context. */
function redisKeyOf({ shards }: KeyPort, scope: Scope, name: string): string {
  return shards.of(ownerOf(scope) + name).messageId(scope, name);
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
  const known = await redis.get(shards.of(neighbour).messageId(scope, retryName(sent)));
  // As first-answer.lua reads it: fingerprint, task, number.
  return known?.split(' ')[1];
}
