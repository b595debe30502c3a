export { Conversation, type ConversationOptions, type Exchange } from './conversation.ts';
export { MemoryPort, type MemoryTurn } from './memory-port.ts';
