import { type DeadLetterDetails, type FailedAttempt, type PushDependencies, parseCursor } from '@switchyard/push';
import { decryptWebhook, deliveryQueueText } from '@switchyard/store/inside';

/** The deliveries of a task's events to one of its webhooks. */
export interface TaskDelivery {
  readonly configId: string;
  /** Scheme, host and port: the rest of the address may be secret. '' if it cannot be read. */
  readonly origin: string;
  /**
   * `idle`: all events are delivered. `due`: there are new events. `sending`: a worker delivers. `waiting`: the last
   * delivery failed and will be retried. `dead`: the deliveries were given up.
   */
  readonly state: 'idle' | 'due' | 'sending' | 'waiting' | 'dead';
  /** Number of the last event that was delivered. */
  readonly deliveredSeq: number;
  /** Failed attempts at the next delivery. */
  readonly attempts: number;
  /** ISO time. */
  readonly nextAt?: string;
  readonly reason?: string;
  /** The last attempt that failed. */
  readonly lastFailure?: FailedAttempt;
}

type DeliveriesDependencies = Pick<PushDependencies, 'redis' | 'shards' | 'encryption' | 'settings'>;

/** Sorted by the age of the webhooks, the oldest first. */
export async function webhooksOf(dependencies: DeliveriesDependencies, taskId: string): Promise<TaskDelivery[]> {
  const fields = await dependencies.redis.hgetall(dependencies.shards.of(taskId).webhooks(taskId).webhooks);
  const numbers = Object.entries(fields).flatMap(([name, number]) => (name.startsWith('id:') ? [Number(number)] : []));
  return Promise.all(
    numbers.sort((a, b) => a - b).map((number) => deliveryOf(dependencies, { taskId, number, fields })),
  );
}

interface StoredDelivery {
  readonly taskId: string;
  readonly number: number;
  /** See delivery-queues.lua. */
  readonly fields: Readonly<Record<string, string>>;
}

async function deliveryOf(
  dependencies: DeliveriesDependencies,
  { taskId, number, fields }: StoredDelivery,
): Promise<TaskDelivery> {
  const field = (name: string): string | undefined => fields[`${number}:${name}`];
  const due = await dependencies.redis.zscore(
    dependencies.shards.of(taskId).push,
    deliveryQueueText({ taskId, number }),
  );
  const dead: DeadLetterDetails | undefined = JSON.parse(field('dead') ?? 'null') ?? undefined;
  const attempts = Number.parseInt(field('failed') ?? '0', 10);
  const isDue = due !== null;
  const state = dead ? 'dead' : isDue ? stateOfDue({ isClaimed: field('claims') !== undefined, attempts }) : 'idle';
  return {
    configId: field('id') ?? '',
    origin: dead?.origin ?? originOfWebhook(dependencies, taskId, field('config') ?? ''),
    state,
    deliveredSeq: parseCursor(field('cursor') ?? '0').seq,
    attempts: dead?.attempts ?? attempts,
    // `push` has the time when it is claimed again, should no job try it: see postpone-delivery.lua.
    ...(state === 'waiting' && { nextAt: new Date(Number(due) - dependencies.settings.reclaimAfterMs).toISOString() }),
    ...(dead && { reason: dead.reason }),
    ...lastFailureIn(field('last')),
  };
}

function lastFailureIn(stored: string | undefined): Pick<TaskDelivery, 'lastFailure'> {
  if (stored === undefined) return {};
  const lastFailure: FailedAttempt = JSON.parse(stored);
  return { lastFailure };
}

function stateOfDue({ isClaimed, attempts }: { isClaimed: boolean; attempts: number }): TaskDelivery['state'] {
  if (isClaimed) return 'sending';
  return attempts > 0 ? 'waiting' : 'due';
}

function originOfWebhook({ encryption }: DeliveriesDependencies, taskId: string, encrypted: string): string {
  try {
    return new URL(decryptWebhook(encryption, taskId, encrypted).url).origin;
  } catch {
    // Its secret is no longer set: the rest is returned without the origin.
    return '';
  }
}
