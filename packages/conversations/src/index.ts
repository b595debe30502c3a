export {
  type ConversationEntry,
  type ConversationItem,
  ConversationMissing,
  type ConversationReading,
} from './conversation.ts';
export { readConversation, readConversationEvents, type StoredConversation } from './conversation-reader.ts';
export { Conversations, type NewConversation } from './conversations.ts';
