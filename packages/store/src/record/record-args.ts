import type { DeploymentDependencies } from '../deployment/deployment.ts';
import type { RecordKeys, SharedKeys } from '../deployment/keys.ts';
import type { StoreSettings } from '../deployment/settings.ts';

/** KEYS and ARGV of every script that includes `record.lua`: `ShardKeys.record` and `recordArgValues` give them. */
export const recordKeyNames = ['task', 'outbox', 'indexRoot', 'push'] as const satisfies readonly (keyof RecordKeys)[];
/** The settings that every script of a turn needs. */
export const settingsArgNames = ['sweepAfterMs', 'keptEvents', 'replayMs', 'retentionMs', 'inlineBytes'] as const;
export const recordArgNames = ['taskId', ...settingsArgNames] as const;
/** KEYS of a script for several tasks, or that finds its task itself: `ShardKeys.shared` gives them. */
export const sharedKeyNames = [
  'tasksRoot',
  'outbox',
  'indexRoot',
  'push',
] as const satisfies readonly (keyof SharedKeys)[];

export type SettingsArgValues = Readonly<Record<(typeof settingsArgNames)[number], number>>;

export function recordArgValues(taskId: string, settings: StoreSettings): SettingsArgValues & { taskId: string } {
  return { taskId, ...settingsArgValues(settings) };
}

/** KEYS and ARGV of a script for an open turn, which has the turn's fencing token. */
export function turnCall(
  { shards, settings }: Pick<DeploymentDependencies, 'shards' | 'settings'>,
  { taskId, fence }: { readonly taskId: string; readonly fence: string },
) {
  return { keys: shards.of(taskId).record(taskId), args: { ...recordArgValues(taskId, settings), fence } };
}

/** The same without the task, for a script for several tasks. */
export function settingsArgValues(settings: StoreSettings): SettingsArgValues {
  const { sweepAfterMs, keptEvents, replayMs, retentionMs, inlineTextBytes: inlineBytes } = settings;
  return { sweepAfterMs, keptEvents, replayMs, retentionMs, inlineBytes };
}
