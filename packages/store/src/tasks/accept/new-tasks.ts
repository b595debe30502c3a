import { Batches, type Deadline, defineScript, list, only, runDurably } from '@switchyard/redis';
import type { ChangeDependencies } from '../../deployment/deployment.ts';
import { PerShard } from '../../deployment/shards.ts';
import { settingsArgNames, settingsArgValues, sharedKeyNames } from '../../record/record-args.ts';
import { quotaArgNames, quotaArgValues } from '../quotas/quotas.ts';
import {
  type AcceptReply,
  acceptArgNames,
  acceptArgValues,
  acceptReply,
  type CallingTurn,
  callerKey,
} from './submission.ts';

export const makeTasksScript = defineScript({
  file: 'make-tasks.lua',
  from: import.meta.url,
  keys: [...sharedKeyNames, 'caller?'],
  args: [...settingsArgNames, ...acceptArgNames, ...quotaArgNames],
  each: [
    'taskId',
    'owner',
    'context',
    'messageIdKey',
    'fingerprint',
    'body',
    'entry',
    'queueRoot',
    'maxWaiting',
    'state',
    'request',
    'moreCount',
    'more*',
  ],
  reply: list(acceptReply),
});

const BATCHES = { requests: 16, messages: 2, afterFailure: 'each', gather: 'microtask' } as const;
/** Messages from this length are not batched: writing one takes longer than a batch saves. */
const LARGE = 16_384;

export interface NewTasksDependencies extends ChangeDependencies {
  /** Deadline of the callers; unset: they wait without limit. */
  readonly deadline?: Deadline | undefined;
}

/** A message that makes a task, as the arguments of make-tasks.lua. */
export interface NewTask {
  readonly taskId: string;
  readonly owner: string;
  readonly context: string;
  readonly messageIdKey: string;
  readonly fingerprint: string;
  readonly body: string;
  readonly entry: string;
  readonly queueRoot: string;
  /** Jobs that may wait in its queue; 0: no limit. */
  readonly maxWaiting: number;
  /** Letter of its state: submitted, or hidden. */
  readonly state: string;
  /** A `KeptRequest` as JSON; '' nothing. */
  readonly request: string;
  readonly more: MoreOfTask;
}

/** What most messages do not have. */
export interface MoreOfTask {
  /** Ids of its webhooks, one a line. */
  readonly configIds?: string;
  /** Their configurations, one a line. */
  readonly encrypted?: string;
  readonly holdMs?: number;
  /** Results of steps were copied for it. */
  readonly hasSteps?: '1' | undefined;
  /** Id of the skill whose queue it enters. */
  readonly skill?: string | undefined;
  /** ms within which its turn must begin. */
  readonly ttlMs?: number | undefined;
  /** Of its jobs, as in add-jobs.lua, if it is not `normal`. */
  readonly level?: 'high' | 'low' | undefined;
  /** When it enters its queue, in ms. */
  readonly scheduledMs?: number | undefined;
  /** A `scheduleText`. */
  readonly schedule?: string | undefined;
  /** Id of the previous task of its schedule. */
  readonly previousId?: string | undefined;
}

const NAMES_OF_MORE = {
  configIds: 'config_ids',
  encrypted: 'encrypted',
  holdMs: 'hold_ms',
  hasSteps: 'has_steps',
  skill: 'skill',
  level: 'level',
  ttlMs: 'ttl_ms',
  scheduledMs: 'scheduled_ms',
  schedule: 'schedule',
  previousId: 'previous_id',
} satisfies Record<keyof MoreOfTask, string>;

/** The arguments of a message for make-tasks.lua. */
export function newTaskArgs({ more: given, ...task }: NewTask) {
  const more: (string | number)[] = [];
  for (const name of Object.keys(given) as (keyof MoreOfTask)[]) {
    const value = given[name];
    if (value !== undefined) more.push(NAMES_OF_MORE[name], value);
  }
  return { ...task, moreCount: more.length, more };
}

/**
 * Makes tasks. One script writes the messages that arrive at the same time, which costs less than a script each. Later
 * messages wait for its reply, so that Redis serves other clients in between.
 */
export class NewTasks {
  readonly #dependencies: NewTasksDependencies;
  readonly #batches: PerShard<Batches<NewTask, AcceptReply>>;

  constructor(dependencies: NewTasksDependencies) {
    this.#dependencies = dependencies;
    const { deadline } = dependencies;
    this.#batches = new PerShard(() => new Batches({ ...BATCHES, deadline, send: (tasks) => this.#run(tasks) }));
  }

  /** @param caller the calling turn, if an agent calls */
  async make(task: NewTask, caller?: CallingTurn): Promise<AcceptReply> {
    // The next task of a schedule replaces the one before it: a batch that fails for another message must not do that.
    if (!caller && task.more.previousId === undefined && task.body.length < LARGE)
      return this.#batches.of(this.#dependencies.shards.of(task.taskId)).send(task);
    return only(await this.#run([task], caller));
  }

  /** @param tasks of one shard */
  async #run(tasks: readonly NewTask[], caller?: CallingTurn): Promise<readonly AcceptReply[]> {
    const { shards, settings } = this.#dependencies;
    return runDurably(this.#dependencies, makeTasksScript, {
      keys: { ...shards.of(tasks[0]?.taskId ?? '').shared, caller: callerKey(shards, caller) },
      args: { ...settingsArgValues(settings), ...acceptArgValues(settings, caller), ...quotaArgValues(settings) },
      each: tasks.map(newTaskArgs),
    });
  }
}
