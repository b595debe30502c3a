import { A2AError } from '@switchyard/protocol';
import type { ConversationItem, ConversationReading } from '@switchyard/store';

/** A conversation in answers: docs/conversations.md. */
export interface ShownConversation {
  readonly conversationId: string;
  readonly contextId: string;
  /** The agent that began it. */
  readonly fromAgent: string;
  readonly toAgent: string;
  readonly maxTurns: number;
  /** The task whose turn holds it. */
  readonly taskId: string;
  readonly state: 'open' | 'complete';
  /** The number of its last event. */
  readonly lastSeq: number;
}

export function showConversation(conversation: ConversationReading): ShownConversation {
  const { id, contextId, fromAgent, toAgent, maxTurns, taskId, seq, isComplete } = conversation;
  const state = isComplete ? 'complete' : 'open';
  return { conversationId: id, contextId, fromAgent, toAgent, maxTurns, taskId, state, lastSeq: seq };
}

/** The conversation with its events, which are stored as JSON. */
export function conversationJson(conversation: ConversationReading, items: readonly ConversationItem[]): string {
  // Events that came after the conversation was read are left out.
  const events = items.filter(({ seq }) => seq <= conversation.seq).map(({ json }) => json);
  return `${JSON.stringify(showConversation(conversation)).slice(0, -1)},"events":[${events}]}`;
}

/** No such conversation of this caller: does not reveal whether another caller has it. */
export function conversationNotFound(conversationId: string): A2AError {
  return new A2AError('NotFound', 'The conversation does not exist or is not accessible', {
    metadata: { conversationId: conversationId.slice(0, 64) },
  });
}
