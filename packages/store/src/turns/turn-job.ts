import type { Task } from '@switchyard/protocol';
import { defineScript, isOutage, nothing, tuple, tupleAnd } from '@switchyard/redis';
import { agentOf, principalOf } from '../deployment/scope.ts';
import {
  type AgentQueue,
  jobFields,
  jobStart,
  restReply,
  type Taken,
  type TakeRequest,
  takeArgNames,
  takenFrom,
} from '../queue/agent-queue.ts';
import { currentMoment, type Moment } from '../queue/moment.ts';
import { parseJobId } from '../queue/queue-names.ts';
import { type JobStart, RunningJob } from '../queue/running-job.ts';
import {
  recordArgNames,
  recordArgValues,
  recordKeyNames,
  settingsArgNames,
  settingsArgValues,
  sharedKeyNames,
  turnCall,
} from '../record/record-args.ts';
import { parseInboxEntry } from '../tasks/accept/submission.ts';
import { readPieces, sizesOf } from '../tasks/read/pieces.ts';
import { readWhole } from '../tasks/read/read.ts';
import { TaskJson } from '../tasks/read/task-json.ts';
import type { Appends, TurnsDependencies } from './appends.ts';
import {
  type AgentTurnSettings,
  type BeginReply,
  beginArgNames,
  beginArgValues,
  beginReply,
  epochOf,
  takenTurnReply,
} from './begin-reply.ts';
import { handBackTurnScript, OpenTurn, type TurnStart } from './open-turn.ts';

const from = import.meta.url;
const takeTurnsScript = defineScript({
  file: 'take-turns.lua',
  from,
  keys: ['root', ...sharedKeyNames, 'dead'],
  args: [...settingsArgNames, ...takeArgNames, ...beginArgNames, 'wanted*'],
  reply: tupleAnd([restReply], tuple(...jobFields, takenTurnReply)),
});
export const beginTurnScript = defineScript({
  file: 'begin-turn.lua',
  from,
  keys: [...recordKeyNames, 'dead'],
  args: [...recordArgNames, 'job', 'started', 'token', ...beginArgNames, 'isUnreadable'],
  reply: beginReply,
});

const shareRunScript = defineScript({
  file: 'share-run.lua',
  from,
  keys: ['task'],
  args: ['token'],
  reply: nothing,
});

/** A turn that cannot begin, because its record cannot be read, is given up when its job was started this often. */
const UNREADABLE_AFTER_STARTS = 4;
/** After this many turns a job leaves the next to a successor, so that a busy task does not delay others. */
const TURNS_PER_JOB = 8;

/**
 * A turn to run, or why there is none. `missing`: it may be too early. `rejected`: the message, whose time to live has
 * ended; another may wait. All others: the job is done.
 */
export type Beginning = OpenTurn | 'stale' | 'missing' | 'canceled' | 'exhausted' | 'rejected';

export interface TurnHooks {
  /** Stop the executor, then publish the canceled state. */
  readonly onCancel: () => void;
  /** Stop the executor: its writes are refused. */
  readonly onFenced: () => void;
  /** The turn's first event is in Redis. */
  readonly onFirstEvent?: () => void;
}

export interface TurnJobDependencies extends TurnsDependencies {
  readonly appends: Appends;
  /** The jobs of this process whose turns run, by task: for cancels and messages, which name the task. */
  readonly running: Map<string, TurnJob>;
}

interface TurnJobStart extends JobStart {
  /** Of its agent. */
  readonly settings: AgentTurnSettings;
  /** The turn that began when the job was taken. */
  readonly begun?: BeginReply | undefined;
  /** Turns that this run of the job has ended. Default: 0. */
  readonly turnsBefore?: number | undefined;
}

export interface TakeTurnsRequest extends TakeRequest {
  readonly agent: AgentTurnSettings;
  /** Ids of the jobs to take, the n-th with the n-th token. Default: the next ones. */
  readonly wanted?: readonly string[];
}

/** The next jobs, with their turns begun, in one script (docs/adr/0021). The same taker and number get the same reply. */
export async function takeTurns(
  dependencies: TurnJobDependencies,
  queue: AgentQueue,
  { agent, wanted = [], ...request }: TakeTurnsRequest,
): Promise<Taken<TurnJob>> {
  const { settings } = dependencies;
  const { root, lease } = queue;
  const { keys } = lease;
  const requestedAt = currentMoment();
  const [rest, ...jobs] = await takeTurnsScript.run(lease.redis, {
    keys: { root, ...keys.shared, dead: keys.dead },
    args: {
      ...settingsArgValues(settings),
      leaseMs: lease.leaseMs,
      ...request,
      ...beginArgValues(settings, agent, `${request.taker}:${request.number}`),
      wanted,
    },
  });
  const taken = jobs.map((job) => {
    const reply = job[5];
    const begun = reply[0] === 'not-begun' ? undefined : reply;
    return new TurnJob(dependencies, queue, { ...jobStart(job, requestedAt), settings: agent, begun });
  });
  return takenFrom(rest, taken);
}

/** A running job of a task: it runs the task's turns one after the other. */
export class TurnJob extends RunningJob {
  readonly taskId: string;
  /** Its number, among the jobs of its task. */
  readonly job: number;
  readonly #dependencies: TurnJobDependencies;
  readonly #settings: AgentTurnSettings;
  #begun: BeginReply | undefined;
  #turnsBefore: number;

  constructor(dependencies: TurnJobDependencies, queue: Pick<AgentQueue, 'root' | 'lease'>, start: TurnJobStart) {
    super(queue, start);
    const { taskId, job } = parseJobId(start.id);
    this.taskId = taskId;
    this.job = job;
    this.#dependencies = dependencies;
    this.#settings = start.settings;
    this.#begun = start.begun;
    this.#turnsBefore = start.turnsBefore ?? 0;
  }

  /** Others run beside it from now on, though its token says that it has its process to itself. */
  async share(): Promise<void> {
    const { redis, shards } = this.#dependencies;
    const { taskId, token } = this;
    await shareRunScript.run(redis, { keys: { task: shards.of(taskId).task(taskId) }, args: { token } });
  }

  /** Begins the next turn of the task. */
  async begin(hooks: TurnHooks): Promise<Beginning> {
    try {
      return await this.#begin(hooks);
    } catch (error) {
      if (isOutage(error) || this.started < UNREADABLE_AFTER_STARTS) throw error;
      // Nobody can run this turn. If the record is so damaged that it cannot be given up, either, the script fails.
      const [verdict] = await this.#runBegin('unreadable');
      if (verdict === 'turn') throw error;
      return verdict;
    }
  }

  /** Call it when the executor has returned: cancels and checks no longer reach the turn. */
  forgetTurn(): void {
    const { running } = this.#dependencies;
    if (running.get(this.taskId) === this) running.delete(this.taskId);
    this.leave();
  }

  /** Call it if the job will not run: gives back the turn that began with it. That attempt does not count. */
  async handBack(): Promise<void> {
    const begun = this.#takeBegun();
    if (begun?.[0] !== 'turn') return;
    const { keys, args } = turnCall(this.#dependencies, { taskId: this.taskId, fence: begun[1] });
    const how = { isSpent: '', failure: '', notes: '' };
    await handBackTurnScript.run(this.#dependencies.redis, { keys, args: { ...args, ...how } });
  }

  async #begin(hooks: TurnHooks): Promise<Beginning> {
    const begun = this.#takeBegun();
    const begunAt = begun ? this.requestedAt : currentMoment();
    const reply = begun ?? (await this.#runBegin(this.#turnsBefore));
    if (reply[0] !== 'turn') return reply[0];
    const turn = new OpenTurn(this.#dependencies, await this.#startOf(reply), hooks);
    this.#turnsBefore++;
    this.#dependencies.running.set(this.taskId, this);
    this.#enter(turn, hooks, begunAt);
    return turn;
  }

  #enter(turn: OpenTurn, { onCancel, onFenced }: TurnHooks, begunAt: Moment): void {
    this.enter(
      {
        taskKey: this.#dependencies.shards.of(this.taskId).task(this.taskId),
        fence: turn.start.fence,
        isOver: () => turn.ending !== undefined,
        seen: () => turn.messagesSeen,
        onSteered: () => turn.notifyWaiting(),
        onCancel,
        onFenced,
      },
      begunAt,
    );
  }

  #takeBegun(): BeginReply | undefined {
    const begun = this.#begun;
    this.#begun = undefined;
    return begun;
  }

  /** @param turnsBefore of this job; `unreadable`: the record cannot be read, and its message is given up */
  async #runBegin(turnsBefore: number | 'unreadable'): Promise<BeginReply> {
    const { taskId, job, started, token } = this;
    const { redis, shards, settings } = this.#dependencies;
    const keys = shards.of(taskId);
    const beginning = beginArgValues(settings, this.#settings, `${token} ${turnsBefore}`);
    const isUnreadable = turnsBefore === 'unreadable' ? '1' : '';
    return beginTurnScript.run(redis, {
      keys: { ...keys.record(taskId), dead: keys.dead },
      args: { ...recordArgValues(taskId, settings), job, started, token, ...beginning, isUnreadable },
    });
  }

  async #startOf(reply: Extract<BeginReply, readonly ['turn', ...unknown[]]>): Promise<TurnStart> {
    const { redis, settings } = this.#dependencies;
    const { taskId } = this;
    const [, fence, attempt, cancel, entry, owner, takenOverFrom, skillOfQueue, ...pieces] = reply;
    // If a large text was replaced meanwhile, another run owns the task, and this one will be fenced: read again.
    const found = await readPieces(redis, pieces);
    const json = found ? TaskJson.of(found) : (await readWhole(this.#dependencies, taskId))?.task;
    const task: Task = JSON.parse(json?.toString() ?? '{}');
    const inboxEntry = parseInboxEntry(entry, task.history);
    return {
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
      skill: inboxEntry.skill?.id ?? (skillOfQueue || undefined),
      caller: inboxEntry.caller,
      ...(takenOverFrom && { takenOverFrom }),
      isLastAttempt: attempt >= (this.#settings.maxAttempts ?? settings.maxAttempts),
      endsJobAfterTurn: this.#turnsBefore + 1 >= (this.#settings.turnsPerJob ?? TURNS_PER_JOB),
      cancelRequested: cancel !== '',
      sizes: found && sizesOf(pieces),
      trace: inboxEntry.trace,
      requestId: inboxEntry.requestId,
    };
  }
}
