import { invalidParams } from './errors/a2a-error.ts';

// The URIs of the A2A extensions of Switchyard (A2A 4.6); docs/extensions has a page for each.

/** Key of the metadata of messages between agents in a conversation, and in cards: docs/extensions/conversations.md. */
export const conversationsUri = 'https://switchyard.dev/a2a/extensions/conversations/v1';
export const traceContextUri = 'https://switchyard.dev/a2a/extensions/trace-context/v1';
export const cascadingCancelUri = 'https://switchyard.dev/a2a/extensions/cascading-cancel/v1';
export const filesUri = 'https://switchyard.dev/a2a/extensions/files/v1';
export const inputUri = 'https://switchyard.dev/a2a/extensions/input/v1';
export const rerunUri = 'https://switchyard.dev/a2a/extensions/rerun/v1';
export const resumableStreamsUri = 'https://switchyard.dev/a2a/extensions/resumable-streams/v1';
export const scheduleUri = 'https://switchyard.dev/a2a/extensions/schedule/v1';
export const skillUri = 'https://switchyard.dev/a2a/extensions/skill/v1';

export const priorityUri = 'https://switchyard.dev/a2a/extensions/priority/v1';

export const timeToLiveUri = 'https://switchyard.dev/a2a/extensions/time-to-live/v1';
/** Longest time to live of a message: 7 days. */
export const longestTimeToLiveMs = 604_800_000;

/** In which order messages wait for a worker, the first one first: docs/extensions/priority.md. */
export const priorities = ['high', 'normal', 'low'] as const;
export type Priority = (typeof priorities)[number];

/** The id that resumable-streams puts into an event's metadata; undefined: there is none, or it is malformed. */
export function eventIdIn(metadata: unknown): string | undefined {
  const { eventId } = Object(Object(metadata)[resumableStreamsUri]);
  return typeof eventId === 'string' && /^[0-9a-z-]{1,64}$/.test(eventId) ? eventId : undefined;
}
export const waitingUri = 'https://switchyard.dev/a2a/extensions/waiting/v1';
export const usageUri = 'https://switchyard.dev/a2a/extensions/usage/v1';
/** Key of the metadata that say what a suspended turn waits for; rules.lua of the store has it, too. */
export const suspendedUri = 'https://switchyard.dev/a2a/extensions/suspended/v1';
export const steeringUri = 'https://switchyard.dev/a2a/extensions/steering/v1';

/** Whether only agents and the gateway may set this key of metadata: they trust its value. */
export function isReservedMetadata(key: string): boolean {
  return key.startsWith('switchyard.') || key === conversationsUri;
}

/** Whether an event that a turn waits for may have this name: letters, digits, hyphens, underscores and dots, at most 64. */
export function isEventName(name: string): boolean {
  return /^[a-zA-Z0-9][\w.-]{0,63}$/.test(name);
}

/** @throws {A2AError} InvalidParams: it is no name of an event */
export function requireEventName(name: string): void {
  if (isEventName(name)) return;
  const description = 'must have 1 to 64 letters, digits, hyphens, underscores and dots';
  throw invalidParams([{ field: 'name', description }]);
}
