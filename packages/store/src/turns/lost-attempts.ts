import type { OpenTurn } from './open-turn.ts';
import type { TurnsPort } from './turns-port.ts';

/** An attempt whose turn another one took over: its process had died, or had not renewed its lease. */
export interface LostAttempt {
  readonly epoch: number;
  /** 1, 2, … of its message. */
  readonly attempt: number;
  readonly begunAt: Date;
  readonly waitedMs: number;
  /** The process that ran it. */
  readonly worker: string;
}

/** Attempts that the record tells of: see fields.lua. */
const KEPT = 16;

/** Those that were lost one after the other right before this turn, the first of them first. One round trip. */
export async function lostAttempts({ redis, shards }: TurnsPort, { start }: OpenTurn): Promise<readonly LostAttempt[]> {
  const { taskId, epoch } = start;
  const epochs = Array.from({ length: Math.min(KEPT, epoch) }, (_, before) => epoch - before);
  const told = await redis.hmget(shards.of(taskId).task(taskId), ...epochs.map((each) => `l${each}`));
  const lost: LostAttempt[] = [];
  for (let i = 1; i < told.length && tookOver(told[i - 1]); i++) {
    const attempt = attemptIn(epochs[i], told[i]);
    if (attempt) lost.unshift(attempt);
  }
  return lost;
}

function tookOver(told: string | null | undefined): boolean {
  return told?.endsWith(' t') === true;
}

/** `<ms> <attempt> <ms waited> <process>[ t]` */
function attemptIn(epoch = 0, told: string | null | undefined): LostAttempt | undefined {
  const [ms, attempt, waitedMs, worker] = told?.split(' ') ?? [];
  if (!ms || !worker) return undefined;
  return { epoch, attempt: Number(attempt), begunAt: new Date(Number(ms)), waitedMs: Number(waitedMs), worker };
}
