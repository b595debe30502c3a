export type { ConversationItem, ConversationReading } from './conversation.ts';
export { readConversation, readConversationEvents, type StoredConversation } from './conversation-reader.ts';
export { Conversations } from './conversations.ts';
