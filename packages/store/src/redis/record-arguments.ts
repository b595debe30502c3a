import type { StoreSettings } from '../settings.ts';

/** ARGV 1-6 of every script that includes `record.lua`. */
export function recordArguments(taskId: string, settings: StoreSettings): (string | number)[] {
  return [
    taskId,
    settings.leaseMs,
    settings.keptEvents,
    settings.replayMs,
    settings.retentionMs,
    settings.inlineTextBytes,
  ];
}
