export { Conversation, type ConversationOptions, type Exchange, runMessage } from './conversation.ts';
export { MemoryPort, type MemoryTurn } from './memory-port.ts';
export { MemoryWorld } from './memory-world.ts';
export { worldOf } from './run-message.ts';
