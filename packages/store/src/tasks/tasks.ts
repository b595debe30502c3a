import type { Principal } from '@switchyard/protocol';
import type { Scope } from '../deployment/scope.ts';
import { deploymentOf } from '../deployment/shards.ts';
import { type AcceptDependencies, accept } from './accept/accept.ts';
import { stepsBefore } from './accept/copy-steps.ts';
import {
  claimKey,
  dropKey,
  isNameKnown,
  type KeyClaim,
  type KeyedRequest,
  taskOfMessage,
} from './accept/idempotency-keys.ts';
import { type Acceptance, retryName, type Submission, shardSeedOf } from './accept/submission.ts';
import { type Cancellation, type CancelOptions, cancelTask } from './cancel/cancel.ts';
import { type DeleteDependencies, type Deletion, deleteTask } from './delete/delete.ts';
import { type ContextQuery, type ContextTaskReading, listContext } from './list/context-tasks.ts';
import { findTasks, type ListDependencies, listTasks, type TaskPage, type TaskQuery } from './list/list.ts';
import { type SpentBudget, spentBudget } from './quotas/quotas.ts';
import { readTask } from './read/read.ts';
import type { TaskJson } from './read/task-json.ts';
import type { TaskReading, TaskView } from './read/task-reading.ts';
import { revealTask, withdrawTask } from './visibility/visibility.ts';

/**
 * Tasks, for gateways, and `context` for turns. Every method has a scope: a task of another principal or agent does not
 * exist for it.
 */
export class Tasks {
  readonly #dependencies: AcceptDependencies & ListDependencies & DeleteDependencies;

  constructor(dependencies: AcceptDependencies & ListDependencies & DeleteDependencies) {
    this.#dependencies = dependencies;
  }

  accept(scope: Scope, submission: Submission): Promise<Acceptance> {
    return accept(this.#dependencies, scope, submission);
  }

  /** The budget of the principal or its tenant, if it is spent. A message that was accepted before needs none. */
  async spentBudget(
    scope: Scope,
    sent: Pick<Submission, 'message' | 'idempotencyKey'>,
  ): Promise<SpentBudget | undefined> {
    const spent = await spentBudget(this.#dependencies, scope.principal);
    if (!spent) return undefined;
    const neighbour = sent.message.taskId ?? shardSeedOf(scope, sent);
    return (await this.taskOfMessage(scope, neighbour, sent)) === undefined ? spent : undefined;
  }

  /** An id for the task that this message may make: `reservedId` of its submission. */
  newTaskId(scope: Scope, sent: Pick<Submission, 'message' | 'idempotencyKey'>): string {
    return this.#dependencies.shards.newId(shardSeedOf(scope, sent));
  }

  /** Whether a task with this id can be in this deployment: it has no other's number. */
  mayHave(taskId: string): boolean {
    return deploymentOf(taskId) === this.#dependencies.settings.deployment;
  }

  /** Which of these tasks exist, of any owner, in Redis or in the archive. */
  async existing(taskIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { redis, shards, archive } = this.#dependencies;
    const found = await Promise.all(taskIds.map((id) => redis.exists(shards.of(id).task(id))));
    const missing = taskIds.filter((_, i) => found[i] === 0);
    const archived = missing.length > 0 ? await archive?.existing(missing) : undefined;
    return new Set(taskIds.filter((id, i) => found[i] === 1 || archived?.has(id)));
  }

  read(scope: Scope, taskId: string, view?: TaskView): Promise<TaskReading | undefined> {
    return readTask(this.#dependencies, scope, taskId, view);
  }

  /** JSON that is made from what a task refers to: see `LargeTasks`. @throws {AnswersTooLarge} */
  async makeAnswer(bytes: number, write: () => Promise<string>, mostBytes?: number): Promise<string | TaskJson> {
    return this.#dependencies.largeTasks?.make(bytes, write, mostBytes) ?? write();
  }

  /** @param others the tasks of other deployments, which the list includes */
  list(scope: Scope, query: TaskQuery, others: readonly Tasks[] = []): Promise<TaskPage> {
    const all = [this, ...others].map((tasks) => tasks.#dependencies);
    return listTasks(all, scope, query);
  }

  /**
   * Whether this deployment goes on with a message: it was accepted here before, or its context has tasks in this Redis.
   * @param agents that the context may have tasks of
   * @param remembers false: no message is remembered here any more
   */
  async goesOnWith(
    scope: Scope,
    sent: Pick<Submission, 'message' | 'idempotencyKey'>,
    { agents, remembers }: { readonly agents: readonly string[]; readonly remembers: boolean },
  ): Promise<boolean> {
    if (remembers && (await isNameKnown(this.#dependencies, scope, retryName(sent)))) return true;
    const { contextId } = sent.message;
    if (contextId === undefined) return false;
    // Its tasks in the archive have ended long ago.
    const inRedis = { ...this.#dependencies, archive: undefined };
    const query = { contextId, pageSize: 1, includeWithdrawn: true };
    const hasTasksOf = async (agent: string): Promise<boolean> =>
      (await findTasks(inRedis, { ...scope, agent }, query)).total > 0;
    if (await hasTasksOf(scope.agent)) return true;
    // Together: there may be hundreds.
    const others = agents.filter((agent) => agent !== scope.agent);
    return (await Promise.all(others.map(hasTasksOf))).includes(true);
  }

  /** Lists the tasks of a context over several agents. */
  context(principal: Principal, query: ContextQuery): Promise<ContextTaskReading[]> {
    return listContext(this.#dependencies, principal, query);
  }

  cancel(scope: Scope, taskId: string, options?: Pick<CancelOptions, 'ifSeq'>): Promise<Cancellation> {
    return cancelTask(this.#dependencies, scope, taskId, options);
  }

  /** For all changes except messages, which have their key in the submission. */
  claimKey(scope: Scope, keyed: KeyedRequest): Promise<KeyClaim> {
    return claimKey(this.#dependencies, scope, keyed);
  }

  dropKey(scope: Scope, keyed: KeyedRequest): Promise<void> {
    return dropKey(this.#dependencies, scope, keyed);
  }

  /**
   * The task of a message with this messageId, or this key, if one was accepted.
   * @param neighbour a task of the same context, which need not exist
   */
  taskOfMessage(
    scope: Scope,
    neighbour: string,
    sent: Pick<Submission, 'message' | 'idempotencyKey'>,
  ): Promise<string | undefined> {
    return taskOfMessage(this.#dependencies, scope, neighbour, sent);
  }

  /**
   * Names of the steps of an ended task's first message before `step`; empty if it is unset; undefined if no result of
   * it is kept.
   */
  async stepsBefore(scope: Scope, taskId: string, step: string | undefined): Promise<readonly string[] | undefined> {
    const reading = await this.read(scope, taskId, { historyLength: 0, includeArtifacts: false });
    return reading && stepsBefore(this.#dependencies, taskId, step);
  }

  /** Hides a task whose caller got a plain message instead. */
  withdraw(scope: Scope, taskId: string): Promise<void> {
    return withdrawTask(this.#dependencies, scope, taskId);
  }

  /** Shows a hidden task (see `Submission.isHidden`), because its caller is given it. */
  reveal(scope: Scope, taskId: string): Promise<void> {
    return revealTask(this.#dependencies, scope, taskId);
  }

  /** Deletes an ended task and all that belongs to it. */
  delete(scope: Scope, taskId: string): Promise<Deletion> {
    return deleteTask(this.#dependencies, scope, taskId);
  }
}
