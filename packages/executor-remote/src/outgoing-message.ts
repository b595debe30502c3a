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

const key = 'switchyard.remoteContextId';

type Memory = Readonly<Record<string, unknown>>;

/** The other agent's context behind ours: it learns of several tasks of one client that they belong together. */
export async function remoteContext({ memory }: Turn): Promise<string | undefined> {
  const contextId = (await memory.get<Memory>())?.[key];
  return typeof contextId === 'string' ? contextId : undefined;
}

export async function rememberRemoteContext({ memory }: Turn, contextId: string): Promise<void> {
  await memory.update<Memory>((remembered) => ({ ...remembered, [key]: contextId }));
}
