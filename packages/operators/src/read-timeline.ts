import { defineScript, integer, list, masterOf, type RedisConnection, text, tuple } from '@switchyard/redis';
import { queueName } from '@switchyard/store/inside';
import type { OperatorDependencies } from './operator-dependencies.ts';
import type { StoredTask, TaskRecord } from './task-record.ts';
import { type StatusFact, type Timeline, timelineOf } from './timeline.ts';

const readStatusesScript = defineScript({
  file: 'read-statuses.lua',
  from: import.meta.url,
  keys: ['events'],
  args: ['start', 'direction', 'limit', 'maxBytes'],
  reply: tuple(text, integer, integer, list(tuple(integer, text, text))),
});

/** Events that are read from each end of the stream. */
const MAX_EVENTS = 500;
const MAX_BYTES = 4 * 1_024 * 1_024;
/** Bytes that one script reads: bounds the time for which Redis serves no other client. */
const BYTES_AT_ONCE = 1_024 * 1_024;
/** As in note.lua. */
const MAX_NOTES = 1_000;

export async function readTimeline(
  dependencies: OperatorDependencies,
  { record, hasOtherKeys, failures, deliveries, statusMs = 0, caller }: StoredTask,
  deadLetter: boolean,
): Promise<Timeline> {
  const { redis, shards, agentQueues } = dependencies;
  const { taskId, agent, job, jobState, queueOfSkill, isTerminal } = record;
  const keys = shards.of(taskId);
  const key = keys.task(taskId);
  const [attempts, notes, { statuses, isAll }, inspection, listening] = await Promise.all([
    attemptFields(dependencies, record),
    hasOtherKeys ? redis.lrange(`${key}:l`, '0', '-1') : [],
    readStatuses(redis, keys.events(taskId)),
    job ? agentQueues.inspect(queueName(agent, queueOfSkill), taskId, job) : undefined,
    // What has ended has no more events.
    isTerminal ? undefined : masterOf(redis, key)?.pubsub('SHARDNUMSUB', keys.events(taskId)),
  ]);
  return timelineOf({
    record,
    deadLetter,
    attempts,
    notes,
    failures,
    statuses,
    isPartial: !isAll || notes.length >= MAX_NOTES,
    statusMs,
    waitsSinceMs: jobState === 'waiting' ? inspection?.sinceMs : undefined,
    leaseMs: inspection?.leaseMs ?? 0,
    deliveries,
    listeningProcesses: Number(listening?.[1] ?? 0),
    caller,
  });
}

/** @param start as read-statuses.lua returns it: `(12-0` */
const seqIn = (start: string): number => Number.parseInt(start.slice(1), 10) || 0;

/** The statuses among a task's events; in a long or large stream, those among the first and the last events. */
export async function readStatuses(redis: RedisConnection, events: string): Promise<Statuses> {
  const first = await readEventPage(redis, events, { start: '-', direction: 1 });
  if (first.isAll) return first;
  const last = await readEventPage(redis, events, { start: '+', direction: -1 });
  const later = last.statuses.reverse().filter(({ seq }) => seq > first.lastSeq);
  return { statuses: [...first.statuses, ...later], isAll: last.lastSeq <= first.lastSeq + 1 };
}

interface Statuses {
  readonly statuses: StatusFact[];
  /** None is left out. */
  readonly isAll: boolean;
}

async function readEventPage(
  redis: RedisConnection,
  events: string,
  { start, direction }: { start: string; direction: 1 | -1 },
): Promise<Statuses & { readonly lastSeq: number }> {
  const statuses: StatusFact[] = [];
  let [next, limit, maxBytes] = [start, MAX_EVENTS, MAX_BYTES];
  while (next && limit > 0 && maxBytes > 0) {
    const args = { start: next, direction, limit, maxBytes: Math.min(maxBytes, BYTES_AT_ONCE) };
    const [after, seen, bytes, found] = await readStatusesScript.run(redis, { keys: { events }, args });
    statuses.push(...found.map(statusFact));
    [next, limit, maxBytes] = [after, limit - seen, maxBytes - bytes];
  }
  return { statuses, isAll: next === '', lastSeq: next === '' && direction < 0 ? 0 : seqIn(next) };
}

/** @param header as events.lua writes it: that of an accepted message has neither a number nor a mark */
const statusFact = ([seq, header, at]: readonly [number, string, string]): StatusFact => ({
  seq,
  letter: header.slice(0, 1),
  isAcceptance: header === 's',
  atMs: Date.parse(at),
});

const KEPT_ATTEMPTS = 16;

/** `l<epoch>`, `e<epoch>`, `f<epoch>` of the attempts that the record keeps: see fields.lua. */
async function attemptFields(
  { redis, shards }: OperatorDependencies,
  { taskId, epoch }: TaskRecord,
): Promise<Record<string, string>> {
  const epochs = Array.from({ length: Math.min(epoch, KEPT_ATTEMPTS) }, (_, n) => epoch - n);
  const names = epochs.flatMap((one) => [`l${one}`, `e${one}`, `f${one}`]);
  if (names.length === 0) return {};
  const values = await redis.hmget(shards.of(taskId).task(taskId), ...names);
  return Object.fromEntries(names.flatMap((name, i) => (values[i] ? [[name, values[i]]] : [])));
}
