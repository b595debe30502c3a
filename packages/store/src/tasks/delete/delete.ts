import { isTerminal, type Task } from '@switchyard/protocol';
import { confirmRead, type DurableDependencies, defineScript, runDurably, word } from '@switchyard/redis';
import { idText } from '../../deployment/keys.ts';
import { ownerOf, type Scope } from '../../deployment/scope.ts';
import type { StoreSettings } from '../../deployment/settings.ts';
import { queueName } from '../../queue/queue-names.ts';
import type { Queues } from '../../queue/queues.ts';
import { sharedKeyNames } from '../../record/record-args.ts';
import { dropClaims } from '../accept/idempotency-keys.ts';
import { archivedRetryNames } from '../accept/origin.ts';
import { type CachedReadDependencies, readTask } from '../read/read.ts';

const deleteScript = defineScript({
  file: 'delete.lua',
  from: import.meta.url,
  keys: sharedKeyNames,
  args: ['taskId', 'owner', 'names*'],
  reply: word('deleted', 'live', 'missing'),
});

/** `live`: the task has not ended; cancel it first. `missing`: no such task in this scope. */
export type Deletion = 'deleted' | 'live' | 'missing';

export interface DeleteDependencies extends CachedReadDependencies, DurableDependencies {
  readonly settings: StoreSettings;
  readonly queue: Queues;
}

/**
 * Deletes every key of an ended task: record, texts, events, places in indexes, webhooks with undelivered events,
 * conversations, idempotency keys. The agent's memory for the context stays.
 * @param seesHidden as in `cancelTask`
 * @throws {NotReplicated} @throws {ArchiveUnavailable} nothing is deleted
 */
export async function deleteTask(
  dependencies: DeleteDependencies,
  scope: Scope,
  taskId: string,
  seesHidden = false,
): Promise<Deletion> {
  const { redis, shards, queue } = dependencies;
  const reading = await readTask(dependencies, scope, taskId, { includeArtifacts: false });
  const keys = shards.of(taskId);
  if (reading?.task === undefined || (reading.isHidden && !seesHidden)) {
    // A client that repeats its deletion with an idempotency key is told that it is done.
    await confirmRead(dependencies, keys.task(taskId));
    return 'missing';
  }
  if (!isTerminal(reading.state)) return 'live';
  const retryNames = await archivedRetryNames(dependencies, taskId);
  // First there, where a mark stays: the task may be copied at this moment, and is not deleted then.
  const isArchived = (await dependencies.archive?.delete(taskId)) ?? false;
  const { history = [] }: Task = JSON.parse(reading.task.toString());
  const [jobs, skill, ownNames] = await redis.hmget(keys.task(taskId), 'jobs', 'skill', 'retry_names');
  const names = [...history.map(({ messageId }) => idText(messageId)), ...retryNames];
  const claimed = ownNames ? [...names, ...ownNames.split('\n')] : names;
  // First: what says that they are of this task goes with it.
  await dropClaims(dependencies, scope, { taskId, names: claimed.filter(Boolean) });
  const verdict = await runDurably(dependencies, deleteScript, {
    keys: keys.shared,
    args: { taskId: idText(taskId), owner: ownerOf(scope), names },
  });
  // The job may be left: its run gave it back after the cancel.
  if (verdict === 'deleted' && jobs) await queue.remove(queueName(scope.agent, skill), taskId, Number(jobs));
  return verdict === 'missing' && isArchived ? 'deleted' : verdict;
}
