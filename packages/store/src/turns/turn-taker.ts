import { createRedisBackend, raw2NextJobData } from 'bullmq';
import type { QueueBackend, TurnJob } from '../queue/consumer.ts';
import { jobId } from '../queue/job-id.ts';
import { queueRoot } from '../queue/queue-name.ts';
import type { ShardKeys } from '../redis/keys.ts';
import { recordArguments } from '../redis/record-arguments.ts';
import { Script } from '../redis/script.ts';
import { suspiciousAfter } from '../settings.ts';
import { type BeginReply, beginArguments } from './begin-reply.ts';
import type { TurnsPort } from './turns-port.ts';

const takeTurnScript = new Script('take-turn.lua', import.meta.url);

/** Whose jobs are taken, and how. */
export interface Taking {
  readonly agent: string;
  readonly keys: ShardKeys;
  /** Milliseconds that a lock lasts that is not renewed. */
  readonly lockMs: number;
  /** Not every job that is taken will be run: none begins its turn with it. */
  readonly isChoosy: boolean;
}

type Reply =
  | ['other']
  | ['none', dueAt: number]
  | ['job', id: string, values: (string | null)[], isLast: string, begun: BeginReply | ['later']];

/** The values of a job, as take-job.lua gives them: the fields of its hash. */
const JOB_FIELDS = ['opts', 'ats', 'stc', 'atm', 'defa', 'stacktrace', 'timestamp', 'processedOn'] as const;

/** As BullMQ's backend hands a job to its worker: the job, its id, ms that a limit lasts, and when the next delayed one is due. */
type NextJob = unknown[];
const NONE: NextJob = [null, 0, 0, 0];

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
   * BullMQ's own way to work on a queue, but for the two steps in the way of every message: taking a job, and completing one,
   * which has left the queue already if its run says `ended`. What is out of the ordinary is left to BullMQ's scripts.
   */
  backend(taking: Taking): QueueBackend {
    return (name, settings, options) => {
      const backend = createRedisBackend(name, settings, options);
      const takeOther = backend.moveToActive.bind(backend);
      // Whatever comes after the last job leaves a marker, which the worker waits for: nothing need be asked before.
      let isEmpty = false;
      const take = async (done: string, token: string, isTaking: boolean): Promise<NextJob> => {
        const reply = await this.#take(taking, [done, token, isTaking]);
        isEmpty = reply[0] === 'job' && reply[3] !== '';
        if (reply[0] === 'other') return takeOther(token);
        return reply[0] === 'job' ? this.#remember(reply, token) : [null, 0, 0, reply[1]];
      };
      backend.moveToActive = async (token) => {
        if (!isEmpty) return take('', token, true);
        isEmpty = false;
        return NONE;
      };
      backend.moveToCompleted = async ({ id = '' }, outcome, _, token, isTaking) => {
        const next = isTaking || outcome !== 'ended' ? await take(id, token, isTaking) : NONE;
        return { result: next, finishedOn: Date.now() };
      };
      return backend;
    };
  }

  async #take(
    { agent, keys, lockMs, isChoosy }: Taking,
    [done, token, isTaking]: [string, string, boolean],
  ): Promise<Reply> {
    const { redis, settings } = this.#port;
    const names = [queueRoot(agent, keys), ...keys.anyRecord, keys.dead];
    const job = [token, isTaking ? '1' : '', lockMs];
    const args = [...recordArguments(done, settings), ...job, ...beginArguments(settings)];
    return (await takeTurnScript.run(redis, names, [...args, isChoosy ? 0 : suspiciousAfter(settings)])) as Reply;
  }

  #remember([, id, values, , begun]: Reply & { 0: 'job' }, token: string): NextJob {
    if (begun[0] !== 'later') this.#begun.set(runOf(id, token), begun);
    const fields = JOB_FIELDS.flatMap((name, i) => (values[i] == null ? [] : [name, values[i]]));
    return raw2NextJobData([fields, id, 0, 0]);
  }
}

const runOf = (id: string, token: string): string => `${id} ${token}`;
