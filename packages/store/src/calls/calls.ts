import { type AcceptDependencies, accept } from '../tasks/accept/accept.ts';
import type { CallAcceptance, CallingTurn, Submission } from '../tasks/accept/submission.ts';
import { type OpenTurn, TurnFenced } from '../turns/open-turn.ts';

/** A message from one agent to another. */
export interface OutgoingMessage {
  readonly agent: string;
  readonly submission: Submission;
  /** The called task may go on when the caller's task completes. */
  readonly isDetached: boolean;
}

/** `other-shard`: the continued task is not in the caller's context. */
export type Placement = Exclude<CallAcceptance, { verdict: 'fenced' }> | { readonly verdict: 'other-shard' };

/**
 * Calls between agents. The script that accepts the message also records the call with the caller's task, under the
 * fencing token of its turn: however that task ends, its calls are found.
 */
export class Calls {
  readonly #dependencies: AcceptDependencies;

  constructor(dependencies: AcceptDependencies) {
    this.#dependencies = dependencies;
  }

  /** The message is accepted on behalf of the turn's principal. @throws {TurnFenced} */
  async place(turn: OpenTurn, { agent, submission, isDetached }: OutgoingMessage): Promise<Placement> {
    const { taskId, principal } = turn.start;
    if (!this.#isOnShardOf(submission.message.taskId, taskId)) return { verdict: 'other-shard' };
    const caller = callingTurn(turn, isDetached);
    const placement = await accept(this.#dependencies, { principal, agent }, { ...submission, caller });
    if (placement.verdict === 'fenced') throw new TurnFenced();
    return placement;
  }

  /** Call it when the called task has ended: it need not be canceled with the caller's. */
  async forget({ start }: OpenTurn, taskId: string): Promise<void> {
    const caller = this.#dependencies.shards.of(start.taskId).task(start.taskId);
    await this.#dependencies.redis.hdel(`${caller}:c`, taskId);
  }

  /** Only tasks of one context are sure to share a shard, so that one script can touch both. */
  #isOnShardOf(continued: string | undefined, taskId: string): boolean {
    const { shards } = this.#dependencies;
    return continued === undefined || shards.of(continued) === shards.of(taskId);
  }
}

function callingTurn({ start }: OpenTurn, isDetached: boolean): CallingTurn {
  const { taskId, agent, fence, caller } = start;
  return { taskId, agent, fence, isDetached, depth: (caller?.depth ?? 0) + 1 };
}
