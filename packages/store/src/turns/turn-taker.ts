import type { TurnJob } from '../queue/consumer.ts';
import { jobId } from '../queue/job-id.ts';
import {
  type JobQueue,
  type RawJob,
  type RawRest,
  type Taken,
  type TakeRequest,
  takeArguments,
  takenFrom,
} from '../queue/job-queue.ts';
import { recordArguments } from '../redis/record.ts';
import { Script } from '../redis/script.ts';
import { type BeginReply, beginArguments, withAttempts } from './begin-reply.ts';
import type { TurnsPort } from './turns-port.ts';

const takeTurnsScript = new Script('take-turns.lua', import.meta.url);

type RawTurnJob = [...job: RawJob, begun: BeginReply | ['later']];

/**
 * Takes jobs together with the turns that they are for: one script and one message for all of them
 * (docs/adr/0022, 0025).
 */
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
   * The next jobs, their turns begun. Asked again with the same taker and number they are the same.
   * @param maxAttempts of the agent, in place of the deployment's
   */
  async take({ root, keys }: JobQueue, request: TakeRequest, maxAttempts?: number): Promise<Taken> {
    const { redis } = this.#port;
    const settings = withAttempts(this.#port.settings, maxAttempts);
    const names = [root, ...Object.values(keys.anyRecord), keys.dead];
    const beginning = beginArguments(settings, `${request.taker}:${request.number}`);
    const args = [
      ...Object.values(recordArguments('', settings)),
      ...takeArguments(settings.lockMs, request),
      ...Object.values(beginning),
    ];
    const [rest, ...jobs] = (await takeTurnsScript.run(redis, names, args)) as [RawRest, ...RawTurnJob[]];
    for (const [id, token, , , begun] of jobs) this.#keep(runOf(id, token), begun);
    return takenFrom(rest, jobs);
  }

  #keep(run: string, begun: BeginReply | ['later']): void {
    if (begun[0] !== 'later') this.#begun.set(run, begun);
  }
}

const runOf = (id: string, token: string): string => `${id} ${token}`;
