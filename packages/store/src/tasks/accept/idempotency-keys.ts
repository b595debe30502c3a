import { hash } from 'node:crypto';
import type { DeploymentDependencies } from '../../deployment/deployment.ts';
import { idText } from '../../deployment/keys.ts';
import { ownerOf, type Scope } from '../../deployment/scope.ts';
import { keyName, retryName, type Submission } from './submission.ts';

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
export async function claimKey(
  dependencies: DeploymentDependencies,
  scope: Scope,
  { key, request }: KeyedRequest,
): Promise<KeyClaim> {
  return claim(
    dependencies,
    redisKeyOf(dependencies, scope, keyName(key)),
    hash('sha256', request, 'base64url').slice(0, 22),
  );
}

/** Drops the key of a change that was refused. */
export async function dropKey(
  dependencies: DeploymentDependencies,
  scope: Scope,
  { key }: Pick<KeyedRequest, 'key'>,
): Promise<void> {
  await dropName(dependencies, scope, keyName(key));
}

/** Drops the name of a message that was refused. */
export async function dropName(dependencies: DeploymentDependencies, scope: Scope, name: string): Promise<void> {
  await dependencies.redis.del(redisKeyOf(dependencies, scope, name));
}

/**
 * A messageId, or an idempotency key, has one Redis key on one of the shards. The step that accepts a message sees the
 * keys of its own shard only, so the name of a message for another shard is claimed here before.
 * @param name `retryName` of the message
 * @param shardSeed of the message's task
 * @returns undefined: the step that accepts the message claims its name
 */
export async function claimNameOfMessage(
  dependencies: DeploymentDependencies,
  scope: Scope,
  { name, fingerprint, shardSeed }: { readonly name: string; readonly fingerprint: string; readonly shardSeed: string },
): Promise<KeyClaim | undefined> {
  const redisKey = redisKeyOf(dependencies, scope, name);
  return redisKey === dependencies.shards.of(shardSeed).messageId(scope, name)
    ? undefined
    : claim(dependencies, redisKey, fingerprint);
}

interface NamesOfTask {
  readonly taskId: string;
  /** Of its messages, as keys have them. */
  readonly names: readonly string[];
}

const NAMES_AT_ONCE = 200;

/**
 * Drops what `claimNameOfMessage` has claimed for a task: the script that deletes it sees its own shard only. A name of
 * which the task's shard no longer knows the task may be that of another message since.
 */
export async function dropClaims(
  { redis, shards }: Pick<DeploymentDependencies, 'redis' | 'shards'>,
  scope: Scope,
  { taskId, names }: NamesOfTask,
): Promise<void> {
  const own = shards.of(taskId);
  const claims = names.flatMap((escaped) => {
    const name: string = JSON.parse(`"${escaped}"`);
    const [claim, known] = [redisKeyOf({ shards }, scope, name), own.messageId(scope, name)];
    return claim === known ? [] : [{ claim, known }];
  });
  for (let at = 0; at < claims.length; at += NAMES_AT_ONCE) {
    const some = claims.slice(at, at + NAMES_AT_ONCE);
    const texts = await redis.mget(some.map(({ known }) => known));
    await Promise.all(
      some.map(async ({ claim }, i) => {
        const [fingerprint, id] = texts[i]?.split(' ') ?? [];
        if (id === idText(taskId) && (await redis.get(claim)) === fingerprint) await redis.unlink(claim);
      }),
    );
  }
}

/** Whether a message, or another change, had this name. On several shards, too, each name has this key. */
export async function isNameKnown(dependencies: DeploymentDependencies, scope: Scope, name: string): Promise<boolean> {
  return (await dependencies.redis.exists(redisKeyOf(dependencies, scope, name))) === 1;
}

async function claim(
  { redis, settings }: DeploymentDependencies,
  redisKey: string,
  fingerprint: string,
): Promise<KeyClaim> {
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
function redisKeyOf({ shards }: Pick<DeploymentDependencies, 'shards'>, scope: Scope, name: string): string {
  return shards.of(ownerOf(scope) + name).messageId(scope, name);
}

/**
 * The task of a message with this name, if one was accepted. The task may have been deleted since.
 * @param neighbour a task of the same context, which need not exist: both are on one shard
 */
export async function taskOfMessage(
  { redis, shards }: DeploymentDependencies,
  scope: Scope,
  neighbour: string,
  sent: Pick<Submission, 'message' | 'idempotencyKey'>,
): Promise<string | undefined> {
  const known = await redis.get(shards.of(neighbour).messageId(scope, retryName(sent)));
  // As first-answer.lua reads it: fingerprint, task, number.
  return known?.split(' ')[1];
}
