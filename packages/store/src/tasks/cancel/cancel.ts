import { defineScript, runDurably, word } from '@switchyard/redis';
import type { ChangeDependencies } from '../../deployment/deployment.ts';
import { ownerOf, type Scope } from '../../deployment/scope.ts';
import { queueName, queueRoot } from '../../queue/queue-names.ts';
import { recordArgNames, recordArgValues, recordKeyNames } from '../../record/record-args.ts';
import { archivedPosition, type HasArchive } from '../read/archived-reads.ts';

export const cancelScript = defineScript({
  file: 'cancel.lua',
  from: import.meta.url,
  keys: [...recordKeyNames, 'root'],
  args: [...recordArgNames, 'owner', 'channel', 'seesHidden', 'ifSeq?'],
  reply: word('canceled', 'requested', 'terminal', 'missing', 'other-seq'),
});

/**
 * - `canceled`: it is canceled. `requested`: the worker of the running turn is notified, and however the turn ends, the
 *   task ends CANCELED. `terminal`: it has ended in another state. `missing`: no such task in this scope. `other-seq`:
 *   see CancelOptions.
 */
export type Cancellation = 'canceled' | 'requested' | 'terminal' | 'missing' | 'other-seq';

export interface CancelOptions {
  /** Never for a client: to clients, a hidden task is missing. */
  readonly seesHidden?: boolean;
  /** Only if the last event of the task has this number. */
  readonly ifSeq?: number | undefined;
}

export type CancelDependencies = ChangeDependencies & HasArchive;

/** @throws {NotReplicated} */
export async function cancelTask(
  dependencies: CancelDependencies,
  scope: Scope,
  taskId: string,
  { seesHidden, ifSeq }: CancelOptions = {},
): Promise<Cancellation> {
  const { shards, settings } = dependencies;
  const keys = shards.of(taskId);
  const args = {
    ...recordArgValues(taskId, settings),
    owner: ownerOf(scope),
    channel: keys.cancels,
    seesHidden: seesHidden ? '1' : '',
    ifSeq,
  };
  const root = queueRoot(queueName(scope.agent), keys);
  const verdict = await runDurably(dependencies, cancelScript, { keys: { ...keys.record(taskId), root }, args });
  const archived = verdict === 'missing' ? await archivedPosition(dependencies, scope, taskId) : undefined;
  if (!archived) return verdict;
  if (archived.state === 'TASK_STATE_CANCELED') return 'canceled';
  return ifSeq !== undefined && ifSeq !== archived.seq ? 'other-seq' : 'terminal';
}
