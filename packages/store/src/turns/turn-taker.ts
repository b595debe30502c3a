import { raw2NextJobData } from 'bullmq';
import type { TurnJob } from '../queue/consumer.ts';
import type { NextJob, Take, Tokens } from '../queue/job-group.ts';
import { jobId } from '../queue/job-id.ts';
import { queueRoot } from '../queue/queue-name.ts';
import type { ShardKeys } from '../redis/keys.ts';
import { recordArguments } from '../redis/record.ts';
import { Script } from '../redis/script.ts';
import { suspiciousAfter } from '../settings.ts';
import { type BeginReply, beginArguments, withAttempts } from './begin-reply.ts';
import type { TurnsPort } from './turns-port.ts';

const takeTurnsScript = new Script('take-turns.lua', import.meta.url);

/** Whose jobs are taken, and how. */
export interface TurnTaking {
  readonly agent: string;
  readonly keys: ShardKeys;
  /** Milliseconds that a lock lasts that is not renewed. */
  readonly lockMs: number;
  /** Of the agent, in place of the deployment's. */
  readonly maxAttempts?: number | undefined;
  /** Not every job that is taken will be run: none begins its turn with it. */
  readonly isChoosy: boolean;
}

type Reply = ['other'] | ['jobs', others: number, dueAt: number, ...jobs: TakenTurn[]];
type TakenTurn = [id: string, token: string, values: (string | null)[], begun: BeginReply | ['later']];

/** The values of a job, as take-jobs.lua gives them: the fields of its hash. */
const JOB_FIELDS = ['opts', 'ats', 'stc', 'atm', 'defa', 'stacktrace', 'timestamp', 'processedOn'] as const;

/** Has BullMQ take jobs together with the turns that they are for: one script and one message for all of them (docs/adr/0022, 0025). */
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

  /** The next jobs, their turns begun; `other`: BullMQ's own script has to look. Asked again with the same tokens they are the same. */
  async take({ agent, keys, lockMs, isChoosy, maxAttempts }: TurnTaking, tokens: Tokens): Promise<Take | 'other'> {
    const { redis } = this.#port;
    const settings = withAttempts(this.#port.settings, maxAttempts);
    const names = [queueRoot(agent, keys), ...Object.values(keys.anyRecord), keys.dead];
    const { prefix, first, count } = tokens;
    const beginning = Object.values(beginArguments(settings, `${prefix}${first}`));
    const record = Object.values(recordArguments('', settings));
    const args = [...record, lockMs, prefix, first, count, ...beginning, isChoosy ? 0 : suspiciousAfter(settings)];
    const reply = (await takeTurnsScript.run(redis, names, args)) as Reply;
    if (reply[0] === 'other') return 'other';
    const [, others, dueAt, ...turns] = reply;
    return { jobs: turns.map((turn) => this.#job(turn)), others, dueAt };
  }

  #job([id, token, values, begun]: TakenTurn): NextJob {
    if (begun[0] !== 'later') this.#begun.set(runOf(id, token), begun);
    const fields = JOB_FIELDS.flatMap((name, i) => (values[i] == null ? [] : [name, values[i]]));
    const [data] = raw2NextJobData([fields, id, 0, 0]);
    return [{ ...data, token }, id, 0, 0];
  }
}

const runOf = (id: string, token: string): string => `${id} ${token}`;
