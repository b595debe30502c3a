import { raw2NextJobData } from 'bullmq';
import type { TurnJob } from '../queue/consumer.ts';
import type { Take } from '../queue/job-group.ts';
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
export interface TurnTaking {
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

  /** The next job, its turn begun; `other`: BullMQ's own script has to look. Asked again with the same token it is the same job. */
  async take({ agent, keys, lockMs, isChoosy }: TurnTaking, token: string): Promise<Take | 'other'> {
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
