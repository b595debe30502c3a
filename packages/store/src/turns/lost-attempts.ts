import type { DeploymentDependencies } from '../deployment/deployment.ts';
import type { OpenTurn } from './open-turn.ts';

/** An attempt whose turn a later one took over, because its process died or did not renew its lease. */
export interface LostAttempt {
  readonly epoch: number;
  /** 1, 2, … for its message. */
  readonly attempt: number;
  readonly begunAt: Date;
  readonly waitedMs: number;
  /** The process that ran it. */
  readonly worker: string;
}

/** Number of attempts whose times the record keeps: see begin.lua. */
const KEPT = 16;

/** The attempts that were lost in a row right before this turn, the oldest first. One round trip. */
export async function lostAttempts(
  { redis, shards }: DeploymentDependencies,
  { start }: OpenTurn,
): Promise<readonly LostAttempt[]> {
  const { taskId, epoch } = start;
  const epochs = Array.from({ length: Math.min(KEPT, epoch) }, (_, before) => epoch - before);
  const stored = await redis.hmget(shards.of(taskId).task(taskId), ...epochs.map((each) => `l${each}`));
  const lost: LostAttempt[] = [];
  for (let i = 1; i < stored.length && tookOver(stored[i - 1]); i++) {
    const attempt = attemptIn(epochs[i], stored[i]);
    if (attempt) lost.unshift(attempt);
  }
  return lost;
}

function tookOver(stored: string | null | undefined): boolean {
  return stored?.endsWith(' t') === true;
}

/** `<ms> <attempt> <ms waited> <process>[ t]` */
function attemptIn(epoch = 0, stored: string | null | undefined): LostAttempt | undefined {
  const [ms, attempt, waitedMs, worker] = stored?.split(' ') ?? [];
  if (!ms || !worker) return undefined;
  return { epoch, attempt: Number(attempt), begunAt: new Date(Number(ms)), waitedMs: Number(waitedMs), worker };
}
