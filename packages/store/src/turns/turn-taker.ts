import {
  type AgentQueue,
  jobFields,
  restReply,
  type Taken,
  type TakeRequest,
  takeArgNames,
  takeArgValues,
  takenFrom,
} from '../queue/agent-queue.ts';
import type { TurnJob } from '../queue/consumer.ts';
import { jobId } from '../queue/job.ts';
import { settingsArgNames, settingsArgValues, sharedKeyNames } from '../record/record-args.ts';
import { tuple, tupleAnd } from '../redis/reply.ts';
import { defineScript } from '../redis/script.ts';
import {
  type AgentTurnSettings,
  type BeginReply,
  beginArgNames,
  beginArgValues,
  takenTurnReply,
} from './begin-reply.ts';
import type { TurnsPort } from './turns-port.ts';

const takeTurnsScript = defineScript({
  file: 'take-turns.lua',
  from: import.meta.url,
  keys: ['root', ...sharedKeyNames, 'dead'],
  args: [...settingsArgNames, ...takeArgNames, ...beginArgNames],
  reply: tupleAnd([restReply], tuple(...jobFields, takenTurnReply)),
});

/** Takes jobs and begins their turns, with one script and one message (docs/adr/0021). */
export class TurnTaker {
  readonly #port: TurnsPort;
  /** Begun turns, until their job's run fetches them. */
  readonly #begun = new Map<string, BeginReply>();

  constructor(port: TurnsPort) {
    this.#port = port;
  }

  /** The turn that began when this run's job was taken. Returned once. */
  begun({ taskId, job, token }: TurnJob): BeginReply | undefined {
    const run = runOf(jobId(taskId, job), token);
    const reply = this.#begun.get(run);
    this.#begun.delete(run);
    return reply;
  }

  /** The next jobs, with their turns begun. The same taker and number get the same reply. */
  async take({ root, keys }: AgentQueue, request: TakeRequest, agent: AgentTurnSettings = {}): Promise<Taken> {
    const { redis, settings } = this.#port;
    const [rest, ...jobs] = await takeTurnsScript.run(redis, {
      keys: { root, ...keys.shared, dead: keys.dead },
      args: {
        ...settingsArgValues(settings),
        ...takeArgValues(settings.leaseMs, request),
        ...beginArgValues(settings, agent, `${request.taker}:${request.number}`),
      },
    });
    for (const [id, token, , , , begun] of jobs) if (begun[0] !== 'not-begun') this.#begun.set(runOf(id, token), begun);
    return takenFrom(rest, jobs);
  }
}

const runOf = (id: string, token: string): string => `${id} ${token}`;
