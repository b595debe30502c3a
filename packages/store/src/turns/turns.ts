import type { Task } from '@switchyard/protocol';
import { Consumer, type ConsumerOptions, type ConsumerPort, type TurnJob } from '../queue/consumer.ts';
import type { JobQueue, TakeRequest } from '../queue/job-queue.ts';
import type { LeasedTurn } from '../queue/leases.ts';
import type { Channels } from '../redis/channels.ts';
import { agentOf, principalOf } from '../redis/principal.ts';
import { recordArgs, recordArguments, recordKeys } from '../redis/record.ts';
import { defineScript } from '../redis/script.ts';
import type { StoreSettings } from '../redis/settings.ts';
import { joinPieces } from '../tasks/pieces.ts';
import { readWhole } from '../tasks/read.ts';
import type { Delivery } from '../tasks/submission.ts';
import { Appends } from './appends.ts';
import { type BeginReply, beginArgs, beginArguments, beginReply, epochOf, withAttempts } from './begin-reply.ts';
import { OpenTurn, releaseTurnScript } from './open-turn.ts';
import { TurnTaker } from './turn-taker.ts';
import type { TurnsPort } from './turns-port.ts';

export const beginTurnScript = defineScript({
  file: 'begin-turn.lua',
  from: import.meta.url,
  keys: [...recordKeys, 'dead'],
  args: [...recordArgs, 'job', 'started', 'token', ...beginArgs],
  reply: beginReply,
});

/** A job that has run so many turns hands over to a successor, so that a busy task does not keep others waiting. */
const TURNS_PER_JOB = 8;

/** A turn to run, or why there is none: all but `missing` mean that the job is done. `missing` may only be early. */
export type Beginning = OpenTurn | 'stale' | 'missing' | 'canceled' | 'exhausted';

export type TurnConsumerOptions = ConsumerOptions & {
  readonly maxAttempts?: number | undefined;
};

export interface TurnHooks {
  readonly onCancel: () => void;
  readonly onFenced: () => void;
  readonly maxAttempts?: number | undefined;
}

interface RunningTurn {
  readonly turn: OpenTurn;
  /** Of its job's lock. */
  readonly token: string;
  readonly onCancel: () => void;
}

/** What a worker does with turns. */
export class Turns {
  readonly #port: TurnsPort & { readonly consumers: ConsumerPort };
  readonly #channels: Channels;
  /** Running turns by task: a cancel must reach them. */
  readonly #running = new Map<string, RunningTurn>();
  readonly #taker: TurnTaker;
  readonly #appends: Appends;

  constructor(port: TurnsPort & { readonly consumers: ConsumerPort }, channels: Channels) {
    this.#port = port;
    this.#channels = channels;
    this.#taker = new TurnTaker(port);
    this.#appends = new Appends(port);
  }

  /**
   * The jobs of one agent, to be run by `begin` and what follows.
   * @param options `maxAttempts`: of the agent, in place of the deployment's
   */
  consume({ maxAttempts, ...options }: TurnConsumerOptions): Consumer {
    const take = (queue: JobQueue, request: TakeRequest) => this.#taker.take(queue, request, maxAttempts);
    return new Consumer(this.#port.consumers, { ...options, take });
  }

  /** Hears of cancels for turns that this process runs. */
  async listen(): Promise<void> {
    const cancel = (taskId: string): void => this.#running.get(taskId)?.onCancel();
    await Promise.all(this.#port.shards.all.map(({ cancels }) => this.#channels.subscribe(cancels, cancel)));
  }

  /**
   * @param turnsBefore turns that this run of the job has ended already
   * @param hooks `onCancel`: stop the executor, then publish the canceled state; `onFenced`: stop it, all is refused;
   *   `maxAttempts`: as in `consume`
   */
  async begin(job: TurnJob, turnsBefore: number, hooks: TurnHooks): Promise<Beginning> {
    const { redis } = this.#port;
    const settings = withAttempts(this.#port.settings, hooks.maxAttempts);
    const { taskId } = job;
    const lease = this.#port.consumers.leases.of(job.token);
    const taken = turnsBefore === 0 ? this.#taker.begun(job) : undefined;
    const begunAt = (taken && lease?.takenAt) ?? performance.now();
    const reply = taken ?? (await this.#begin(job, turnsBefore, settings));
    if (reply[0] !== 'turn') return reply[0];
    const [, fence, attempt, cancel, entry, owner, ...pieces] = reply;
    const delivery: Delivery = JSON.parse(entry.slice(entry.indexOf('\n') + 1));
    // Large texts that were replaced meanwhile are read anew: by then another run owns the task, and this one is about
    // to hear of it.
    const json = (await joinPieces(redis, pieces)) ?? (await readWhole(this.#port, taskId))?.task;
    const task: Task = JSON.parse(json?.toString() ?? '{}');
    const turn = new OpenTurn(
      this.#port,
      this.#appends,
      {
        taskId,
        agent: agentOf(owner),
        principal: principalOf(owner, delivery.scopes),
        fence,
        epoch: epochOf(fence),
        attempt,
        delivery,
        task,
        isLastAttempt: attempt >= settings.maxAttempts,
        handsOver: turnsBefore + 1 >= TURNS_PER_JOB,
        cancelRequested: cancel !== '',
      },
      hooks,
    );
    this.#running.set(taskId, { turn, token: job.token, onCancel: hooks.onCancel });
    lease?.begin(leasedTurn(turn, this.#port.shards.of(taskId).task(taskId), hooks), begunAt);
    return turn;
  }

  /** The job will not be run, and goes back. If its turn has begun already, it is given back at no cost. */
  async giveBack(job: TurnJob): Promise<void> {
    const begun = this.#taker.begun(job);
    if (begun?.[0] !== 'turn') return;
    const { redis, shards, settings } = this.#port;
    const { taskId } = job;
    const [, fence] = begun;
    await releaseTurnScript.run(redis, {
      keys: shards.of(taskId).record(taskId),
      args: { ...recordArguments(taskId, settings), fence, isSpent: '' },
    });
  }

  /** The executor has returned: cancels no longer concern it. Another run of its task here goes on. */
  forget(turn: OpenTurn): void {
    const { taskId } = turn.start;
    const running = this.#running.get(taskId);
    if (running?.turn !== turn) return;
    this.#running.delete(taskId);
    this.#port.consumers.leases.of(running.token)?.end();
  }

  /**
   * Before anything of a turn that is seen outside: if more time has passed than its lease lasts, as for a process that
   * was stopped, Redis is asked whether the task is its own still, and the turn's hooks are called if it is not.
   */
  async confirm(job: TurnJob): Promise<void> {
    await this.#port.consumers.leases.confirm(job.token);
  }

  async #begin(
    { taskId, job, started, token }: TurnJob,
    turnsBefore: number,
    settings: StoreSettings,
  ): Promise<BeginReply> {
    const { redis, shards } = this.#port;
    const keys = shards.of(taskId);
    const beginning = beginArguments(settings, `${token} ${turnsBefore}`);
    return beginTurnScript.run(redis, {
      keys: { ...keys.record(taskId), dead: keys.dead },
      args: { ...recordArguments(taskId, settings), job, started, token, ...beginning },
    });
  }
}

function leasedTurn(turn: OpenTurn, taskKey: string, { onCancel, onFenced }: TurnHooks): LeasedTurn {
  const isOver = (): boolean => turn.ending !== undefined;
  return { taskKey, fence: turn.start.fence, isOver, onCancel, onLost: onFenced };
}
