import type { FailureReport, Task } from '@switchyard/protocol';
import type { AgentQueue, TakeRequest } from '../queue/agent-queue.ts';
import { Consumer, type ConsumerOptions, type ConsumerPort, type TurnJob } from '../queue/consumer.ts';
import type { LeasedTurn } from '../queue/lease.ts';
import { currentMoment } from '../queue/moment.ts';
import { recordArgNames, recordArgValues, recordKeyNames } from '../record/record-args.ts';
import type { Channels } from '../redis/channels.ts';
import { isOutage } from '../redis/errors.ts';
import { agentOf, principalOf } from '../redis/scope.ts';
import { defineScript } from '../redis/script.ts';
import { readPieces, sizesOf } from '../tasks/read/pieces.ts';
import { readWhole } from '../tasks/read/read.ts';
import { TaskJson } from '../tasks/read/task-json.ts';
import { Appends } from './appends.ts';
import {
  type AgentTurnSettings,
  type BeginReply,
  beginArgNames,
  beginArgValues,
  beginReply,
  epochOf,
} from './begin-reply.ts';
import { type AttemptId, recordFailure } from './failures.ts';
import { type LostAttempt, lostAttempts } from './lost-attempts.ts';
import { inboxEntryOf, OpenTurn, releaseTurnScript } from './open-turn.ts';
import { TurnTaker } from './turn-taker.ts';
import type { TurnsPort } from './turns-port.ts';

export const beginTurnScript = defineScript({
  file: 'begin-turn.lua',
  from: import.meta.url,
  keys: [...recordKeyNames, 'dead'],
  args: [...recordArgNames, 'job', 'started', 'token', ...beginArgNames],
  reply: beginReply,
});

/** Prefix of what accept.lua publishes when a message steers a running turn; the task id follows. */
const STEER = 'steer ';

/** A turn that cannot begin, because its record cannot be read, is given up when its job was started this often. */
const UNREADABLE_AFTER_STARTS = 4;
/** As the most attempts: see begin.lua. */
const GIVE_UP = 0;

/** After this many turns a job leaves the next to a successor, so that a busy task does not delay others. */
const TURNS_PER_JOB = 8;

/** A turn to run, or why there is none: all but `missing` mean that the job is done. `missing`: it may be too early. */
export type Beginning = OpenTurn | 'stale' | 'missing' | 'canceled' | 'exhausted';

export type TurnConsumerOptions = ConsumerOptions & AgentTurnSettings;

export interface TurnHooks extends AgentTurnSettings {
  readonly onCancel: () => void;
  readonly onFenced: () => void;
  readonly onFirstEvent?: () => void;
}

interface RunningTurn {
  readonly turn: OpenTurn;
  /** Token of its job's run. */
  readonly token: string;
  readonly onCancel: () => void;
}

/** Turns, for workers. */
export class Turns {
  readonly #port: TurnsPort & { readonly consumers: ConsumerPort };
  readonly #channels: Channels;
  /** Running turns by task, for cancels and for steering. */
  readonly #running = new Map<string, RunningTurn>();
  readonly #taker: TurnTaker;
  readonly #appends: Appends;

  constructor(port: TurnsPort & { readonly consumers: ConsumerPort }, channels: Channels) {
    this.#port = port;
    this.#channels = channels;
    this.#taker = new TurnTaker(port);
    this.#appends = new Appends(port);
  }

  /** Consumes the jobs of one agent; each run calls `begin`. */
  consume({ maxAttempts, whileWorking, ...options }: TurnConsumerOptions): Consumer {
    const take = (queue: AgentQueue, request: TakeRequest) =>
      this.#taker.take(queue, request, { maxAttempts, whileWorking });
    return new Consumer(this.#port.consumers, { ...options, take });
  }

  /** Subscribes to cancels of the turns that this process runs, and to messages that steer them. */
  async listen(): Promise<void> {
    const onPublished = (text: string): void => {
      if (text.startsWith(STEER)) this.#running.get(text.slice(STEER.length))?.turn.notifyWaiting();
      else this.#running.get(text)?.onCancel();
    };
    await Promise.all(this.#port.shards.all.map(({ cancels }) => this.#channels.subscribe(cancels, onPublished)));
  }

  /**
   * @param turnsBefore turns that this run of the job has ended
   * @param hooks `onCancel`: stop the executor, then publish the canceled state; `onFenced`: stop the executor, its
   * writes are refused; `onFirstEvent`: the turn's first event is in Redis; the others: as in `consume`
   */
  async begin(job: TurnJob, turnsBefore: number, hooks: TurnHooks): Promise<Beginning> {
    try {
      return await this.#open(job, turnsBefore, hooks);
    } catch (error) {
      if (isOutage(error) || job.started < UNREADABLE_AFTER_STARTS) throw error;
      // Nobody can run this turn. If the record is so damaged that it cannot be given up, either, the script fails.
      const [verdict] = await this.#begin(job, 'unreadable', { ...hooks, maxAttempts: GIVE_UP });
      if (verdict === 'turn') throw error;
      return verdict;
    }
  }

  async #open(job: TurnJob, turnsBefore: number, hooks: TurnHooks): Promise<Beginning> {
    const { redis, settings } = this.#port;
    const { taskId } = job;
    const lease = this.#port.consumers.leases.of(job.token);
    const taken = turnsBefore === 0 ? this.#taker.begun(job) : undefined;
    const begunAt = (taken && lease?.takenAt) ?? currentMoment();
    const reply = taken ?? (await this.#begin(job, turnsBefore, hooks));
    if (reply[0] !== 'turn') return reply[0];
    const [, fence, attempt, cancel, entry, owner, takenOverFrom, queue, ...pieces] = reply;
    // If a large text was replaced meanwhile, another run owns the task, and this one will be fenced: read again.
    const found = await readPieces(redis, pieces);
    const json = found ? TaskJson.of(found) : (await readWhole(this.#port, taskId))?.task;
    const task: Task = JSON.parse(json?.toString() ?? '{}');
    const inboxEntry = inboxEntryOf(entry, task.history);
    const turn = new OpenTurn(
      this.#port,
      this.#appends,
      {
        taskId,
        agent: agentOf(owner),
        principal: principalOf(owner, inboxEntry.scopes),
        fence,
        epoch: epochOf(fence),
        attempt,
        task,
        message: inboxEntry.message,
        acceptedOutputModes: inboxEntry.acceptedOutputModes ?? [],
        extensions: inboxEntry.extensions ?? [],
        metadata: inboxEntry.metadata ?? {},
        skill: inboxEntry.skill?.id ?? (queue || undefined),
        caller: inboxEntry.caller,
        ...(takenOverFrom && { takenOverFrom }),
        isLastAttempt: attempt >= (hooks.maxAttempts ?? settings.maxAttempts),
        handsOver: turnsBefore + 1 >= TURNS_PER_JOB,
        cancelRequested: cancel !== '',
        sizes: found && sizesOf(pieces),
        trace: inboxEntry.trace,
        requestId: inboxEntry.requestId,
      },
      hooks,
    );
    this.#running.set(taskId, { turn, token: job.token, onCancel: hooks.onCancel });
    lease?.begin(leasedTurn(turn, this.#port.shards.of(taskId).task(taskId), hooks), begunAt);
    return turn;
  }

  /** The attempts at the turn's message that were lost in a row right before this one. */
  lostBefore(turn: OpenTurn): Promise<readonly LostAttempt[]> {
    return lostAttempts(this.#port, turn);
  }

  /** Gives back a job that will not run. If its turn has begun, that attempt does not count. */
  async releaseTaken(job: TurnJob): Promise<void> {
    const begun = this.#taker.begun(job);
    if (begun?.[0] !== 'turn') return;
    const { redis, shards, settings } = this.#port;
    const { taskId } = job;
    const [, fence] = begun;
    await releaseTurnScript.run(redis, {
      keys: shards.of(taskId).record(taskId),
      args: { ...recordArgValues(taskId, settings), fence, isSpent: '', failure: '', notes: '' },
    });
  }

  /** Call it when the executor has returned: cancels no longer reach it. Another run of its task is not affected. */
  forget(turn: OpenTurn): void {
    const { taskId } = turn.start;
    const running = this.#running.get(taskId);
    if (running?.turn !== turn) return;
    this.#running.delete(taskId);
    this.#port.consumers.leases.of(running.token)?.end();
  }

  /**
   * Keeps for operators why an attempt failed that cannot say so itself, because its worker is dead. Any process may call
   * it, before or after another worker takes the turn over.
   * @returns false: the task is gone, or its record does not have the attempt any more
   */
  recordFailure(attempt: AttemptId, report: FailureReport): Promise<boolean> {
    return recordFailure(this.#port, attempt, report);
  }

  /**
   * Call it before an external effect. If more time has passed than the lease lasts, because the process was stopped,
   * it asks Redis whether the turn still owns its task, and calls the turn's hooks if it does not.
   */
  async confirm(job: TurnJob): Promise<void> {
    await this.#port.consumers.leases.confirm(job.token);
  }

  async #begin(
    { taskId, job, started, token }: TurnJob,
    turnsBefore: number | 'unreadable',
    agent: AgentTurnSettings,
  ): Promise<BeginReply> {
    const { redis, shards, settings } = this.#port;
    const keys = shards.of(taskId);
    const beginning = beginArgValues(settings, agent, `${token} ${turnsBefore}`);
    return beginTurnScript.run(redis, {
      keys: { ...keys.record(taskId), dead: keys.dead },
      args: { ...recordArgValues(taskId, settings), job, started, token, ...beginning },
    });
  }
}

function leasedTurn(turn: OpenTurn, taskKey: string, { onCancel, onFenced }: TurnHooks): LeasedTurn {
  const isOver = (): boolean => turn.ending !== undefined;
  const [seen, onSteered] = [() => turn.messagesSeen, () => turn.notifyWaiting()];
  return { taskKey, fence: turn.start.fence, isOver, seen, onCancel, onFenced, onSteered };
}
