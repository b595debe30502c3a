import { damagedRow, text, tuple, verdict } from '@switchyard/redis';
import type { DeploymentDependencies } from '../deployment/deployment.ts';
import type { ShardKeys } from '../deployment/keys.ts';
import { agentOf } from '../deployment/scope.ts';
import { type DueTasks, defineDueScript, workOffDue } from '../record/due-tasks.ts';

export const rejectMessagesScript = defineDueScript(
  'reject-messages.lua',
  import.meta.url,
  verdict({ rejected: tuple(text, text), damaged: damagedRow }),
);

/** A task whose next message was not begun in its time to live. */
export interface RejectedMessage {
  readonly agent: string;
  readonly taskId: string;
}

export interface RejectedMessages extends Omit<DueTasks, 'count'> {
  readonly messages: readonly RejectedMessage[];
}

/** Rejects messages whose time to live ends before a worker begins them (docs/extensions/time-to-live.md). */
export class TimesToLive {
  readonly #dependencies: DeploymentDependencies;

  constructor(dependencies: DeploymentDependencies) {
    this.#dependencies = dependencies;
  }

  /** Any process may do this, also several at once. @param shards default: all */
  async reject(shards = this.#dependencies.shards.all): Promise<RejectedMessages> {
    const messages: RejectedMessage[] = [];
    const { errors, nextInMs } = await workOffDue(this.#dependencies, shards, {
      key: 'beginBy',
      script: rejectMessagesScript,
      onRow: ([, taskId, owner]) => messages.push({ taskId, agent: agentOf(owner) }),
    });
    return { messages, errors, nextInMs };
  }

  /** @returns the shard of a task, for `reject` */
  shardOf(taskId: string): ShardKeys {
    return this.#dependencies.shards.of(taskId);
  }
}
