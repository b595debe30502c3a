import { type BackendFactory, createRedisBackend, type RedisQueueBackend } from 'bullmq';
import { JobGroup, type NextJob, type Take, type Tokens, tokenOf } from './job-group.ts';
import type { Places } from './places.ts';

/** How a BullMQ worker works on its queue. */
export interface GroupBackend extends RedisQueueBackend {
  /** For a worker that looks for no more jobs: those that were taken before it asked for them. */
  rest(): Promise<NextJob[]>;
}

export interface Taking {
  /** Takes the next jobs, and locks them with the tokens. `other`, and the default: BullMQ's own script takes one. */
  readonly take?: ((tokens: Tokens) => Promise<Take | 'other'>) | undefined;
  /** Jobs may be taken before the worker asks for them. */
  readonly takesAhead: boolean;
  readonly places: Places;
}

/**
 * BullMQ's own way to work on a queue, but for two steps in the way of every message: jobs are taken in groups, and one that has
 * left the queue already, as its run says with `ended`, need not be completed. A job that ends and after which no other is asked
 * for tells nothing about jobs that are delayed: BullMQ's own backend says that there are none, and its worker sleeps past them.
 */
export function groupBackend({ take, takesAhead, places }: Taking): BackendFactory<GroupBackend> {
  return (name, settings, options) => {
    const backend = createRedisBackend(name, settings, options);
    const takeOther = backend.moveToActive.bind(backend);
    const [complete, fail] = [backend.moveToCompleted.bind(backend), backend.moveToFailed.bind(backend)];
    const wait = backend.waitForJob.bind(backend);

    const takeSome = async (tokens: Tokens): Promise<Take> => {
      const taken = (await take?.(tokens)) ?? 'other';
      if (taken !== 'other') return taken;
      // Where ours takes jobs, BullMQ's only clears the way: one job is enough for that.
      const count = take ? 1 : tokens.count;
      const found = await Promise.all(Array.from({ length: count }, (_, i) => takeOther(tokenOf(tokens, i))));
      const jobs = found.flatMap(([data, id, limitMs, due], i): NextJob[] =>
        data ? [[{ ...data, token: tokenOf(tokens, i) }, id, limitMs, due]] : [],
      );
      const dueAt = Math.max(...found.map(([, , , due]) => due));
      return { jobs, others: jobs.length < count ? 0 : undefined, dueAt };
    };
    const group = new JobGroup(takeSome, places, { takesAhead });

    backend.moveToActive = (token) => group.next(token);
    backend.waitForJob = (seconds) => group.wait(() => wait(seconds));
    backend.moveToCompleted = async (job, outcome, removes, token, isTaking) => {
      const done =
        outcome === 'ended' ? { finishedOn: Date.now() } : await complete(job, outcome, removes, token, false);
      return { ...done, result: isTaking ? await group.next(token) : undefined };
    };
    backend.moveToFailed = async (job, reason, removes, token, isTaking, fields) => {
      const done = await fail(job, reason, removes, token, false, fields);
      return { ...done, result: isTaking ? await group.next(token) : undefined };
    };
    return Object.assign(backend, { rest: () => group.rest() });
  };
}
