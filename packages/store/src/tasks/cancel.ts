import type { Shards } from '../redis/keys.ts';
import { ownerOf, recordArgs, recordArguments, recordKeys, type Scope } from '../redis/keys.ts';
import { word } from '../redis/reply.ts';
import { type DurablePort, defineScript, runDurably } from '../redis/script.ts';
import type { StoreSettings } from '../redis/settings.ts';

export const cancelScript = defineScript({
  file: 'cancel.lua',
  from: import.meta.url,
  keys: recordKeys,
  args: [...recordArgs, 'owner', 'channel', 'seesHidden'],
  reply: word('canceled', 'requested', 'terminal', 'missing'),
});

/**
 * - `canceled`: it is canceled. `requested`: the worker of the running turn is notified, and however the turn ends, the
 *   task ends canceled. `terminal`: it has ended otherwise. `missing`: no such task in this scope.
 */
export type Cancellation = 'canceled' | 'requested' | 'terminal' | 'missing';

export interface CancelPort extends DurablePort {
  readonly shards: Shards;
  readonly settings: StoreSettings;
}

/**
 * @param seesHidden false: for a client, to whom a hidden task is missing
 * @throws {NotReplicated}
 */
export function cancelTask(port: CancelPort, scope: Scope, taskId: string, seesHidden = false): Promise<Cancellation> {
  const { shards, settings } = port;
  const keys = shards.of(taskId);
  const args = {
    ...recordArguments(taskId, settings),
    owner: ownerOf(scope),
    channel: keys.cancels,
    seesHidden: seesHidden ? '1' : '',
  };
  return runDurably(port, cancelScript, { keys: keys.record(taskId), args });
}
