import { isTerminal, type Task } from '@switchyard/protocol';
import { skillQueue } from '../../queue/job.ts';
import type { Queues } from '../../queue/queues.ts';
import { recordKeyNames } from '../../record/record-args.ts';
import { word } from '../../redis/reply.ts';
import { ownerOf, principalKey, type Scope } from '../../redis/scope.ts';
import { type DurablePort, defineScript, runDurably } from '../../redis/script.ts';
import type { StoreSettings } from '../../redis/settings.ts';
import { type CachedReadPort, readTask } from '../read/read.ts';

const deleteScript = defineScript({
  file: 'delete.lua',
  from: import.meta.url,
  keys: [...recordKeyNames, 'dead', 'conversations', 'allConversations', 'others*'],
  args: ['taskId', 'owner', 'messages', 'conversationIds*'],
  reply: word('deleted', 'live', 'missing'),
});

/** `live`: the task has not ended; cancel it first. `missing`: no such task in this scope. */
export type Deletion = 'deleted' | 'live' | 'missing';

export interface DeletePort extends CachedReadPort, DurablePort {
  readonly settings: StoreSettings;
  readonly queue: Queues;
  /** The ids of the conversations that the task holds. */
  readonly conversationsOf: (scope: Scope, task: { taskId: string; contextId: string }) => Promise<string[]>;
}

/**
 * Deletes every key of an ended task: record, texts, events, index entries, webhooks with undelivered events,
 * conversations, idempotency entries. The agent's memory for the context stays.
 * @param seesHidden as in `cancelTask`
 * @throws {NotReplicated}
 */
export async function deleteTask(
  port: DeletePort,
  scope: Scope,
  taskId: string,
  seesHidden = false,
): Promise<Deletion> {
  const { redis, shards, queue } = port;
  const reading = await readTask(port, scope, taskId, { includeArtifacts: false });
  if (reading?.task === undefined || (reading.isHidden && !seesHidden)) return 'missing';
  if (!isTerminal(reading.state)) return 'live';
  const { history = [], contextId = '' }: Task = JSON.parse(reading.task.toString());
  const keys = shards.of(taskId);
  const messages = history.map(({ messageId }) => keys.messageId(scope, messageId));
  const conversations = await port.conversationsOf(scope, { taskId, contextId });
  const [jobs, skill] = await redis.hmget(keys.task(taskId), 'jobs', 'queue');
  const verdict = await runDurably(port, deleteScript, {
    keys: {
      ...keys.record(taskId),
      dead: keys.dead,
      conversations: keys.conversations(principalKey(scope.principal), contextId),
      allConversations: keys.allConversations,
      others: [...messages, ...conversations.flatMap((id) => [keys.conversation(id), keys.conversationEvents(id)])],
    },
    args: { taskId, owner: ownerOf(scope), messages: messages.length, conversationIds: conversations },
  });
  // The job may be left: its run gave it back after the cancel, or a gateway of an earlier version canceled the task.
  if (verdict === 'deleted' && jobs) await queue.remove(skillQueue(scope.agent, skill), taskId, Number(jobs));
  return verdict;
}
