import type { StoreSettings } from '../settings.ts';

/** ARGV 1-6 of every script that includes `record.lua`. */
export function recordArguments(taskId: string, settings: StoreSettings): (string | number)[] {
  return [taskId, ...settingsArguments(settings)];
}

/** The same without the task, for a script that is about several. */
export function settingsArguments(settings: StoreSettings): number[] {
  return [settings.leaseMs, settings.keptEvents, settings.replayMs, settings.retentionMs, settings.inlineTextBytes];
}
