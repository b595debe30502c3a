import { A2AError } from '@switchyard/protocol';

/** No such conversation of this caller, or no longer: whether it is another's is nobody's business. */
export function conversationNotFound(conversationId: string): A2AError {
  return new A2AError('NotFound', 'The conversation does not exist or is not accessible', {
    metadata: { conversationId: conversationId.slice(0, 64) },
  });
}
