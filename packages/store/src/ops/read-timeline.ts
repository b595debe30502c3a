import { integer, list, text, tuple } from '../redis/reply.ts';
import { defineScript } from '../redis/script.ts';
import type { OpsPort } from './ops-port.ts';
import { webhooksOf } from './task-deliveries.ts';
import type { TaskRecord } from './task-record.ts';
import { type Timeline, timelineOf } from './timeline.ts';

const readStatusesScript = defineScript({
  file: 'read-statuses.lua',
  from: import.meta.url,
  keys: ['events'],
  args: ['most'],
  reply: list(tuple(integer, text, text)),
});

/** Events that are looked at from each end of the stream: bounds the time that Redis spends on it. */
const MOST_EVENTS = 500;

export async function readTimeline(
  port: OpsPort,
  record: TaskRecord & { readonly deadLetter: boolean },
): Promise<Timeline> {
  const { redis, shards, queue } = port;
  const { taskId, agent, job, jobState } = record;
  const keys = shards.of(taskId);
  const key = keys.task(taskId);
  const [[time, caller], attempts, notes, statuses, look, deliveries, [, listening]] = await Promise.all([
    redis.hmget(key, 'time', 'caller'),
    attemptFields(port, record),
    redis.lrange(`${key}:l`, '0', '-1'),
    readStatusesScript.run(redis, { keys: { events: keys.events(taskId) }, args: { most: MOST_EVENTS } }),
    queue.look(agent, taskId, job),
    webhooksOf(port, taskId),
    redis.pubsub('NUMSUB', keys.events(taskId)),
  ]);
  return timelineOf({
    record,
    deadLetter: record.deadLetter,
    attempts,
    notes,
    statuses: statuses.map(([seq, mark, at]) => ({ seq, letter: mark.slice(0, 1), atMs: Date.parse(at) })),
    statusMs: Number.parseInt(time ?? '0', 36),
    waitsSinceMs: jobState === 'waiting' ? look.sinceMs : undefined,
    leaseMs: look.leaseMs,
    deliveries,
    listeningProcesses: Number(listening ?? 0),
    caller: caller ?? undefined,
  });
}

const KEPT_ATTEMPTS = 16;

/** `l<epoch>`, `e<epoch>`, `f<epoch>` of the attempts that the record tells of: see begin.lua. */
async function attemptFields(
  { redis, shards }: OpsPort,
  { taskId, epoch }: TaskRecord,
): Promise<Record<string, string>> {
  const epochs = Array.from({ length: Math.min(epoch, KEPT_ATTEMPTS) }, (_, n) => epoch - n);
  const names = epochs.flatMap((one) => [`l${one}`, `e${one}`, `f${one}`]);
  if (names.length === 0) return {};
  const values = await redis.hmget(shards.of(taskId).task(taskId), ...names);
  return Object.fromEntries(names.flatMap((name, i) => (values[i] ? [[name, values[i]]] : [])));
}
