import { isReservedMetadata, type Metadata } from '@switchyard/protocol';
import type { RedisConnection } from '@switchyard/redis';
import { principalOf, type Scope, scopeOf } from '../../deployment/scope.ts';
import type { Shards } from '../../deployment/shards.ts';
import type { HasArchive } from '../read/archived-reads.ts';
import type { KeptRequest, Submission } from './submission.ts';

/** The scope of a task, and the request that created it. */
export interface Origin {
  readonly scope: Scope;
  /** Parameters of its first message; of metadata only the client's own. */
  readonly given: Pick<
    Submission,
    'acceptedOutputModes' | 'extensions' | 'metadata' | 'skill' | 'priority' | 'timeToLiveMs'
  >;
}

/** @returns undefined: no such task */
export async function originOf(
  { redis, shards, archive }: { readonly redis: RedisConnection; readonly shards: Shards } & HasArchive,
  taskId: string,
): Promise<Origin | undefined> {
  const [owner, request] = await redis.hmget(shards.of(taskId).task(taskId), 'owner', 'request');
  if (owner) return originIn(owner, request);
  const archived = (await archive?.describe([taskId], 'origin'))?.get(taskId);
  const [archivedOwner = '', archivedRequest]: (string | null)[] = archived ? JSON.parse(archived) : [];
  return archivedOwner ? originIn(archivedOwner, archivedRequest) : undefined;
}

/** Names under which messages of an archived task are known beside their ids, as keys have them. */
export async function archivedRetryNames({ archive }: HasArchive, taskId: string): Promise<readonly string[]> {
  const archived = (await archive?.describe([taskId], 'origin'))?.get(taskId);
  const [, , names = '']: (string | null)[] = archived ? JSON.parse(archived) : [];
  return names ? names.split('\n') : [];
}

function originIn(owner: string, request: string | null | undefined): Origin {
  if (!request) return { scope: scopeOf(owner), given: {} };
  const { scopes, metadata, ...given }: KeptRequest = JSON.parse(request);
  const own = ownMetadata(metadata);
  return {
    scope: { ...scopeOf(owner), principal: principalOf(owner, scopes) },
    given: { ...given, ...(own && { metadata: own }) },
  };
}

/** The client's own metadata: entries that Switchyard adds for a calling agent or an operator hold for one request. */
export function ownMetadata(metadata: Metadata | undefined): Metadata | undefined {
  if (!metadata) return undefined;
  const kept = Object.entries(metadata).filter(([key]) => !isReservedMetadata(key));
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}
