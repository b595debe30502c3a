import { isReservedMetadata, type Metadata } from '@switchyard/protocol';
import { principalOf, type Scope, scopeOf } from '../redis/scope.ts';
import type { KeptRequest, Submission } from '../tasks/submission.ts';
import type { OpsPort } from './ops-port.ts';

/** Who asked for a task, and how. */
export interface Origin {
  readonly scope: Scope;
  /** What came with its first message; metadata is the client's own. */
  readonly given: Pick<Submission, 'acceptedOutputModes' | 'extensions' | 'metadata' | 'skill'>;
}

/** @returns undefined: no such task */
export async function originOf({ redis, shards }: OpsPort, taskId: string): Promise<Origin | undefined> {
  const [owner, request] = await redis.hmget(shards.of(taskId).task(taskId), 'owner', 'request');
  if (!owner) return undefined;
  if (!request) return { scope: scopeOf(owner), given: {} };
  const { scopes, metadata, ...given }: KeptRequest = JSON.parse(request);
  const own = ownMetadata(metadata);
  return {
    scope: { ...scopeOf(owner), principal: principalOf(owner, scopes) },
    given: { ...given, ...(own && { metadata: own }) },
  };
}

/** What an agent said as the caller, or an operator, was true of that request alone. */
export function ownMetadata(metadata: Metadata | undefined): Metadata | undefined {
  if (!metadata) return undefined;
  const kept = Object.entries(metadata).filter(([key]) => !isReservedMetadata(key));
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}
