import type { Message } from '@switchyard/protocol';
import { isOutage } from '@switchyard/redis';
import { type FoundJob, findJobs, type Places, parkJobs, type TakenPlaces } from '../places/places.ts';
import type { AgentQueue, Taken } from '../queue/agent-queue.ts';
import { parseJobId } from '../queue/queue-names.ts';
import { parseInboxEntry } from '../tasks/accept/submission.ts';
import { readWhole } from '../tasks/read/read.ts';
import { type TakeTurnsRequest, type TurnJob, type TurnJobDependencies, takeTurns } from './turn-job.ts';

/** Longest key; what follows does not count. */
const MAX_KEY = 200;

/**
 * The next jobs of an agent with limits, as `takeTurns`, for which there are places. A place is taken before its job,
 * and freed after the job's end, so that there are never more turns than places.
 */
export async function takeLimitedTurns(
  dependencies: TurnJobDependencies,
  queue: AgentQueue,
  { places, ...given }: TakeTurnsRequest & { readonly places: Places },
): Promise<Taken<TurnJob>> {
  if (places.isFull) return { jobs: [], waiting: 0, hasSuspects: false, dueInMs: undefined };
  const request = { ...given, count: Math.min(given.count, places.limits.running ?? Number.POSITIVE_INFINITY) };
  const found = await findJobs(queue, request);
  const { waiting: others, hasSuspects, dueInMs } = found;
  if (found.jobs.length === 0) return { ...found, jobs: [] };
  const jobs = places.limits.keyOf ? await withKeys(dependencies, found.jobs, places.limits.keyOf) : found.jobs;
  const taken = await places.take(request, jobs);
  const began = await beginTurns(dependencies, queue, { ...request, taken });
  const refusedBy = new Set(taken.refused.map(({ by }) => by));
  await parkJobs(queue, newlyKnown(taken.refused, found.jobs));
  // There is no place for any turn: none is looked for until one is free, or may start.
  const isFull = refusedBy.has('running') || refusedBy.has('starts');
  const waiting = isFull ? 0 : others + taken.refused.filter(({ by }) => by === 'slots').length;
  const nextInMs = refusedBy.has('starts') ? Math.min(taken.startInMs, dueInMs ?? Number.POSITIVE_INFINITY) : dueInMs;
  return { jobs: began, waiting, hasSuspects, dueInMs: nextInMs };
}

/** Takes the jobs that have places, and gives back the places of those that are gone. */
async function beginTurns(
  dependencies: TurnJobDependencies,
  queue: AgentQueue,
  { taken, ...request }: TakeTurnsRequest & { readonly taken: TakenPlaces },
): Promise<readonly TurnJob[]> {
  const { places } = taken;
  if (places.length === 0) return [];
  const wanted = places.map(({ job }) => job.id);
  const agent = { ...request.agent, turnsPerJob: 1 };
  const begun = takeTurns(dependencies, queue, { ...request, agent, wanted });
  const { jobs } = await begun.catch(async (error: unknown) => {
    await Promise.all(places.map(({ place }) => place.giveBack()));
    throw error;
  });
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const unused = places.filter(({ job, place }) => {
    const its = byId.get(job.id);
    if (its) place.giveTo(its);
    return !its;
  });
  await Promise.all(unused.map(({ place }) => place.giveBack()));
  return jobs;
}

/** Those that are to be parked, or whose key was not known before. */
function newlyKnown(refused: TakenPlaces['refused'], found: readonly FoundJob[]): TakenPlaces['refused'] {
  const known = new Set(found.flatMap(({ id, key }) => (key === undefined ? [] : [id])));
  return refused.filter(
    ({ job, by }) => by === 'tenant' || by === 'key' || (job.key !== undefined && !known.has(job.id)),
  );
}

function withKeys(
  dependencies: TurnJobDependencies,
  jobs: readonly FoundJob[],
  keyOf: (message: Message) => string | undefined,
): Promise<readonly FoundJob[]> {
  return Promise.all(
    jobs.map(async (job) => {
      if (job.key !== undefined) return job;
      const message = await messageOf(dependencies, parseJobId(job.id).taskId);
      const key = (message && keyOf(message)) ?? '';
      return { ...job, key: encodeURIComponent(key.slice(0, MAX_KEY).toWellFormed()) };
    }),
  );
}

/** The message that the job's turn will work on; undefined: the task is gone, or damaged, which its turn will report. */
async function messageOf(dependencies: TurnJobDependencies, taskId: string): Promise<Message | undefined> {
  try {
    return await readMessage(dependencies, taskId);
  } catch (error) {
    if (isOutage(error)) throw error;
    return undefined;
  }
}

async function readMessage(dependencies: TurnJobDependencies, taskId: string): Promise<Message | undefined> {
  const { redis, shards } = dependencies;
  const key = shards.of(taskId).task(taskId);
  const entry = (await redis.hget(key, 'initial_entry')) ?? (await redis.lindex(`${key}:i`, 0));
  if (entry === null) return undefined;
  const task = (await readWhole(dependencies, taskId))?.task;
  return task && parseInboxEntry(entry, JSON.parse(task.toString()).history).message;
}
