import type { Turn } from '@switchyard/agent';
import { isReservedMetadata, type Metadata, type SendMessageRequest } from '@switchyard/protocol';

interface OutgoingOptions {
  readonly taskId: string | undefined;
  readonly contextId: string | undefined;
  /** Bytes of all files of this deployment in the message. */
  readonly maxFileBytes: number;
}

/**
 * The message of a turn for the remote agent, with the same id, so that the agent can detect a repetition. It has the
 * content of files of this deployment, whose URLs the agent cannot read.
 * @throws {AgentError} they are too large
 */
export async function outgoingMessage(
  turn: Turn,
  { taskId, contextId, maxFileBytes }: OutgoingOptions,
): Promise<SendMessageRequest> {
  const { message, metadata, acceptedOutputModes } = turn;
  const { taskId: _, contextId: __, referenceTaskIds: ___, metadata: own, ...content } = message;
  return {
    message: {
      ...content,
      parts: await turn.inlineFiles(content.parts, maxFileBytes),
      ...(own && { metadata: withoutReserved(own) }),
      ...(taskId !== undefined && { taskId }),
      ...(contextId !== undefined && { contextId }),
    },
    configuration: { acceptedOutputModes: [...acceptedOutputModes] },
    metadata: withoutReserved(metadata),
  };
}

/** Removes metadata that only agents of this deployment exchange: other deployments refuse it from clients. */
function withoutReserved(metadata: Metadata): Metadata {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !isReservedMetadata(key)));
}

const key = 'switchyard.remoteContextId';

type Memory = Readonly<Record<string, unknown>>;

/** The remote agent's context for this context, which all tasks of this context share. */
export async function remoteContext({ memory }: Turn): Promise<string | undefined> {
  const contextId = (await memory.get<Memory>())?.[key];
  return typeof contextId === 'string' ? contextId : undefined;
}

export async function rememberRemoteContext({ memory }: Turn, contextId: string): Promise<void> {
  await memory.update<Memory>((remembered) => ({ ...remembered, [key]: contextId }));
}
