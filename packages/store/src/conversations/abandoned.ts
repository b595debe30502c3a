import type { ConversationEntry } from './conversation.ts';
import type { StoredConversation } from './conversation-reader.ts';

/**
 * The last events of a conversation whose task has ended without ending it: it was canceled, or its agent failed or
 * never came back.
 */
export function abandonedEntries({ id, nextTurn, ...head }: StoredConversation): ConversationEntry[] {
  const [fromAgent, toAgent] = nextTurn % 2 === 0 ? [head.fromAgent, head.toAgent] : [head.toAgent, head.fromAgent];
  const error = 'The task that held the conversation has ended.';
  const failure = { conversationId: id, fromAgent, toAgent, phase: 'error', turn: nextTurn, error };
  const end = { conversationId: id, fromAgent: head.fromAgent, toAgent: head.toAgent, phase: 'complete' };
  return [
    { event: failure, nextTurn, isEnd: false },
    { event: end, nextTurn, isEnd: true },
  ];
}
