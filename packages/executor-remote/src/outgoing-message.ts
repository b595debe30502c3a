import type { Turn } from '@switchyard/agent';
import type { SendMessageRequest } from '@switchyard/protocol';

/** The message of a turn as the other agent gets it: with the same id, so that one that knows it already can tell. */
export function outgoingMessage(
  { message, metadata, acceptedOutputModes }: Turn,
  { taskId, contextId }: { readonly taskId: string | undefined; readonly contextId: string | undefined },
): SendMessageRequest {
  const { taskId: _, contextId: __, referenceTaskIds: ___, ...content } = message;
  return {
    message: { ...content, ...(taskId !== undefined && { taskId }), ...(contextId !== undefined && { contextId }) },
    configuration: { acceptedOutputModes: [...acceptedOutputModes] },
    metadata,
  };
}
