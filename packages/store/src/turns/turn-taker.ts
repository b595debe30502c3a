import { createRedisBackend, raw2NextJobData } from 'bullmq';
import type { QueuePlace, TurnJob } from '../queue/consumer.ts';
import type { QueueBackend } from '../queue/group-worker.ts';
import { JobGroup, type Take } from '../queue/job-group.ts';
import { jobId } from '../queue/job-id.ts';
import { queueRoot } from '../queue/queue-name.ts';
import { recordArguments } from '../redis/record-arguments.ts';
import { Script } from '../redis/script.ts';
import { suspiciousAfter } from '../settings.ts';
import { type BeginReply, beginArguments } from './begin-reply.ts';
import type { TurnsPort } from './turns-port.ts';

const takeTurnScript = new Script('take-turn.lua', import.meta.url);

/** Whose jobs are taken, and how. */
export interface Taking extends QueuePlace {
  readonly agent: string;
  /** Not every job that is taken will be run: they are taken one by one, and none begins its turn with it. */
  readonly isChoosy: boolean;
}

type Reply =
  | ['other']
  | ['none', dueAt: number]
  | ['job', id: string, values: (string | null)[], others: number, isLast: string, begun: BeginReply | ['later']];

/** The values of a job, as take-job.lua gives them: the fields of its hash. */
const JOB_FIELDS = ['opts', 'ats', 'stc', 'atm', 'defa', 'stacktrace', 'timestamp', 'processedOn'] as const;

/** Has BullMQ take a job together with the turn that it is for: one script, where there were two and two messages (docs/adr/0022). */
export class TurnTaker {
  readonly #port: TurnsPort;
  /** Turns that have begun, until their job's run asks for them. */
  readonly #begun = new Map<string, BeginReply>();

  constructor(port: TurnsPort) {
    this.#port = port;
  }

  /** The turn that began as this run's job was taken. It is told once. */
  begun({ taskId, job, token }: TurnJob): BeginReply | undefined {
    const run = runOf(jobId(taskId, job), token);
    const reply = this.#begun.get(run);
    this.#begun.delete(run);
    return reply;
  }

  /**
   * BullMQ's own way to work on a queue, but for the two steps in the way of every message: jobs are taken in groups, and one
   * that has left the queue already, as its run says with `ended`, need not be completed. What is out of the ordinary is left to
   * BullMQ's scripts.
   */
  backend(taking: Taking): QueueBackend {
    return (name, settings, options) => {
      const backend = createRedisBackend(name, settings, options);
      const takeOther = backend.moveToActive.bind(backend);
      const [complete, fail] = [backend.moveToCompleted.bind(backend), backend.moveToFailed.bind(backend)];
      const wait = backend.waitForJob.bind(backend);
      const take = async (token: string): Promise<Take> => {
        const taken = await this.take(taking, token);
        if (taken !== 'other') return taken;
        const [data, id, limitMs, dueAt] = await takeOther(token);
        return { job: [data && { ...data, token }, id, limitMs, dueAt], others: 0 };
      };
      const group = new JobGroup(take, taking.places, { takesAhead: !taking.isChoosy });
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

  /** The next job, its turn begun; `other`: BullMQ's own script has to look. Asked again with the same token it is the same job. */
  async take({ agent, keys, lockMs, isChoosy }: Omit<Taking, 'places'>, token: string): Promise<Take | 'other'> {
    const { redis, settings } = this.#port;
    const names = [queueRoot(agent, keys), ...keys.anyRecord, keys.dead];
    const beginning = [...beginArguments(settings), isChoosy ? 0 : suspiciousAfter(settings)];
    const args = [...recordArguments('', settings), token, lockMs, ...beginning];
    const reply = (await takeTurnScript.run(redis, names, args)) as Reply;
    if (reply[0] === 'other') return 'other';
    if (reply[0] === 'none') return { job: [null, '', 0, reply[1]], others: 0 };
    const [, id, values, others, isLast, begun] = reply;
    if (begun[0] !== 'later') this.#begun.set(runOf(id, token), begun);
    const fields = JOB_FIELDS.flatMap((name, i) => (values[i] == null ? [] : [name, values[i]]));
    const [data] = raw2NextJobData([fields, id, 0, 0]);
    return { job: [{ ...data, token }, id, 0, 0], others, isLast: isLast !== '' };
  }
}

const runOf = (id: string, token: string): string => `${id} ${token}`;
