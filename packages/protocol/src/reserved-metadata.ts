/** URI of the A2A extension "conversations between agents": docs/conversations.md. */
export const conversationsUri = 'https://switchyard.dev/a2a/extensions/conversations/v1';

/** Whether a key of metadata is for agents and the gateway alone: they believe what they find there. */
export function isReservedMetadata(key: string): boolean {
  return key.startsWith('switchyard.') || key === conversationsUri;
}
