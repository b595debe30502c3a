import type { StoreSettings } from './settings.ts';

/** KEYS and ARGV of every script that includes `record.lua`: `ShardKeys.record` and `recordArguments` give them. */
export const recordKeys = ['task', 'events', 'inbox', 'outbox', 'indexRoot', 'push'] as const;
/** The settings that every script of a turn needs. */
export const settingsArgs = ['leaseMs', 'keptEvents', 'replayMs', 'retentionMs', 'inlineBytes'] as const;
export const recordArgs = ['taskId', ...settingsArgs] as const;
/** KEYS of a script for several tasks, or that finds its task itself: `ShardKeys.anyRecord` gives them. */
export const anyRecordKeys = ['tasksRoot', 'outbox', 'indexRoot', 'push'] as const;

export type RecordKeys = Readonly<Record<(typeof recordKeys)[number], string>>;
export type AnyRecordKeys = Readonly<Record<(typeof anyRecordKeys)[number], string>>;
export type SettingsArguments = Readonly<Record<(typeof settingsArgs)[number], number>>;

export function recordArguments(taskId: string, settings: StoreSettings): SettingsArguments & { taskId: string } {
  return { taskId, ...settingsArguments(settings) };
}

/** The same without the task, for a script that is about several. */
export function settingsArguments(settings: StoreSettings): SettingsArguments {
  const { leaseMs, keptEvents, replayMs, retentionMs, inlineTextBytes: inlineBytes } = settings;
  return { leaseMs, keptEvents, replayMs, retentionMs, inlineBytes };
}
