// The URIs of the A2A extensions of Switchyard (A2A 4.6); docs/extensions has a page for each.

const uriOf = (name: string): string => `https://switchyard.dev/a2a/extensions/${name}/v1`;

/** Key of the metadata of messages between agents in a conversation, and in cards: docs/extensions/conversations.md. */
export const conversationsUri = uriOf('conversations');
export const traceContextUri = uriOf('trace-context');
export const cascadingCancelUri = uriOf('cascading-cancel');
export const resumableStreamsUri = uriOf('resumable-streams');
export const skillUri = uriOf('skill');

/** Whether a key of metadata is for agents and the gateway alone: they believe what they find there. */
export function isReservedMetadata(key: string): boolean {
  return key.startsWith('switchyard.') || key === conversationsUri;
}
