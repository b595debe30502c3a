import type { Scope } from '@switchyard/store';
import {
  archivedOwner,
  type Cancellation,
  cancelTask,
  copyableSteps,
  type Deletion,
  deleteTask,
  type EventCheck,
  type GivenEvent,
  type Giving,
  giveEvent,
  readTask,
  scopeOf,
} from '@switchyard/store/inside';
import { type AnswerResult, answerTask, type TaskAnswer } from './answer.ts';
import { diagnose } from './diagnosis.ts';
import type { Diagnosis } from './finding.ts';
import type { OperatorDependencies } from './operator-dependencies.ts';
import { readTimeline } from './read-timeline.ts';
import { type RerunRequest, type RerunResult, rerunTask } from './rerun.ts';
import { withStepResults } from './step-results.ts';
import { DeploymentFacts, factsOf } from './task-facts.ts';
import { readStored, type TaskRecord } from './task-record.ts';
import { readSpent, type SpentByTask } from './task-usage.ts';
import type { Timeline } from './timeline.ts';

export interface TaskDetail extends TaskRecord, SpentByTask {
  readonly diagnosis: Diagnosis;
  /** Its message was given up. */
  readonly deadLetter: boolean;
  readonly timeline?: Timeline;
  /** Names of steps whose results a new run can reuse, in order. */
  readonly steps: string[];
}

const RECENT_MS = 1_000;

/** Tasks of all principals, for operators. */
export class OperatorTasks {
  readonly #dependencies: OperatorDependencies;
  #recent: { readonly readAtMs: number; readonly facts: DeploymentFacts } | undefined;

  constructor(dependencies: OperatorDependencies) {
    this.#dependencies = dependencies;
  }

  /** @returns undefined: no such task */
  async record(taskId: string): Promise<TaskRecord | undefined> {
    return (await readStored(this.#dependencies, taskId))?.record ?? this.#archived(taskId);
  }

  /**
   * Everything that operators see of a task, with its diagnosis.
   * @param options `hasContents`: steps of the timeline have the beginning of their results
   * @returns undefined: no such task
   */
  async detail(taskId: string, { hasTimeline = false, hasContents = false } = {}): Promise<TaskDetail | undefined> {
    const stored = await readStored(this.#dependencies, taskId);
    if (!stored) return this.#archived(taskId, hasTimeline);
    const { redis, shards } = this.#dependencies;
    const { record, hasOtherKeys } = stored;
    const [facts, steps, spent, isDead] = await Promise.all([
      factsOf(this.#dependencies, stored, new DeploymentFacts(this.#dependencies)),
      hasOtherKeys ? copyableSteps(this.#dependencies, taskId) : [],
      hasOtherKeys ? readSpent(this.#dependencies, taskId) : {},
      hasOtherKeys ? redis.exists(`${shards.of(taskId).task(taskId)}:d`) : 0,
    ]);
    const deadLetter = isDead === 1;
    const read = hasTimeline ? await readTimeline(this.#dependencies, stored, deadLetter) : undefined;
    const timeline = read && hasContents ? await withStepResults(this.#dependencies, taskId, read) : read;
    const diagnosis = diagnose(facts);
    return { ...record, diagnosis, deadLetter, steps, ...spent, ...(timeline && { timeline }) };
  }

  /** Why the task does not go on. @returns undefined: no such task */
  async diagnosis(taskId: string): Promise<Diagnosis | undefined> {
    const stored = await readStored(this.#dependencies, taskId);
    if (!stored) return (await this.#archived(taskId))?.diagnosis;
    return diagnose(await factsOf(this.#dependencies, stored, this.#recentFacts()));
  }

  /** As it was when the task was copied to the archive. */
  async #archived(taskId: string, hasTimeline = false): Promise<TaskDetail | undefined> {
    const json = (await this.#dependencies.archive?.describe([taskId], 'detail'))?.get(taskId);
    if (!json) return undefined;
    const { timeline, expiresAt: _, ...detail }: TaskDetail = JSON.parse(json);
    // Its steps went with Redis.
    return { ...detail, steps: [], isArchived: true, ...(hasTimeline && timeline && { timeline }) };
  }

  /** Many clients may ask at once: what concerns all tasks is read once a second. */
  #recentFacts(): DeploymentFacts {
    const nowMs = performance.now();
    if (!this.#recent || nowMs - this.#recent.readAtMs > RECENT_MS)
      this.#recent = { readAtMs: nowMs, facts: new DeploymentFacts(this.#dependencies) };
    return this.#recent.facts;
  }

  /** The task as its client sees it, as JSON. @returns undefined: no such task */
  async contents(taskId: string): Promise<string | undefined> {
    const scope = await this.scopeOf(taskId);
    return scope && (await readTask(this.#dependencies, scope, taskId))?.task?.toString();
  }

  async cancel(taskId: string): Promise<Cancellation> {
    const scope = await this.scopeOf(taskId);
    return scope ? cancelTask(this.#dependencies, scope, taskId, { seesHidden: true }) : 'missing';
  }

  async delete(taskId: string): Promise<Deletion> {
    const scope = await this.scopeOf(taskId);
    return scope ? deleteTask(this.#dependencies, scope, taskId, true) : 'missing';
  }

  /** Answers a task that waits for its client, in the client's place. An answer that is sent twice counts once. */
  answer(taskId: string, answer: TaskAnswer): Promise<AnswerResult> {
    return answerTask(this.#dependencies, taskId, answer);
  }

  /** Gives the task an event, in place of who should. */
  async giveEvent(taskId: string, event: GivenEvent, check: EventCheck): Promise<Giving> {
    const scope = await this.scopeOf(taskId);
    return scope
      ? giveEvent(this.#dependencies, scope, taskId, event, { seesHidden: true, check })
      : { verdict: 'missing' };
  }

  /** Sends the first message of the task again, as a new task of its principal. */
  rerun(taskId: string, request: RerunRequest): Promise<RerunResult> {
    return rerunTask(this.#dependencies, taskId, request);
  }

  /** The principal and the agent of a task. @returns undefined: no such task */
  async scopeOf(taskId: string): Promise<Scope | undefined> {
    const { redis, shards } = this.#dependencies;
    const owner = await redis.hget(shards.of(taskId).task(taskId), 'owner');
    const its = owner ?? (await archivedOwner(this.#dependencies, taskId));
    return its === undefined ? undefined : scopeOf(its);
  }
}
