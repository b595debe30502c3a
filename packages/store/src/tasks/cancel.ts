import { recordArgNames, recordArgValues, recordKeyNames } from '../redis/record-args.ts';
import { word } from '../redis/reply.ts';
import { ownerOf, type Scope } from '../redis/scope.ts';
import { type DurablePort, defineScript, runDurably } from '../redis/script.ts';
import type { StoreSettings } from '../redis/settings.ts';
import type { Shards } from '../redis/shards.ts';

export const cancelScript = defineScript({
  file: 'cancel.lua',
  from: import.meta.url,
  keys: recordKeyNames,
  args: [...recordArgNames, 'owner', 'channel', 'seesHidden'],
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
    ...recordArgValues(taskId, settings),
    owner: ownerOf(scope),
    channel: keys.cancels,
    seesHidden: seesHidden ? '1' : '',
  };
  return runDurably(port, cancelScript, { keys: keys.record(taskId), args });
}
