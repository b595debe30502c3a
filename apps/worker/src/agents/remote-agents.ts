import { type Agent, defineAgent, type Execute } from '@switchyard/agent';
import type { AddressPolicySettings } from '@switchyard/outgoing';
import { cardUrlOf, REMOTE_AGENTS } from '@switchyard/store';

/** Executors that are cached at most; each has read a card. */
const MAX_EXECUTORS = 100;

/**
 * Runs the turns of all agents that are called by the URL of their card (`turn.call`): each call has a task and a turn
 * in the store, so that it survives crashes and is canceled like any other. It is not announced, so only agents can
 * make a worker call a URL. Their input may have led them to it: the policy decides which URLs are allowed.
 */
export function remoteAgents(policy: AddressPolicySettings): Agent {
  const card = {
    name: 'Remote agents',
    description: 'Agents that are called by the URL of their card.',
    version: '1',
    skills: [],
  };
  const executors = new Map<string, Promise<Execute>>();
  const execute: Execute = async (turn) => {
    const cardUrl = cardUrlOf(turn.agentId) ?? '';
    const executor = executors.get(cardUrl) ?? openExecutor(cardUrl, policy);
    executors.delete(cardUrl);
    executors.set(cardUrl, executor);
    if (executors.size > MAX_EXECUTORS) executors.delete(executors.keys().next().value ?? '');
    return (await executor)(turn);
  };
  return {
    ...defineAgent({ id: 'remote', card, concurrency: 100, turnTimeoutMs: 3_600_000, execute }),
    id: REMOTE_AGENTS,
  };
}

/** The client is loaded with the first call: most workers make none. */
async function openExecutor(cardUrl: string, policy: AddressPolicySettings): Promise<Execute> {
  const { remoteExecutor } = await import('@switchyard/executor-remote');
  return remoteExecutor({ cardUrl, policy });
}
