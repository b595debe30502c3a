import type { Turn } from '@switchyard/agent';

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
