import { type Agent, defineAgent, type Execute } from '@switchyard/agent';
import { cardUrlOf, ELSEWHERE } from '@switchyard/store';

/** Executors that are kept; each holds a card that was read. */
const MOST_EXECUTORS = 100;

/**
 * Whatever agent its task says, called by the URL of its card (`turn.call`): a turn of ours stands for what it does, so
 * that the call survives crashes, and is canceled, like any other. It is announced nowhere: nobody but our agents can
 * make us call a URL.
 */
export function agentsElsewhere(): Agent {
  const card = {
    name: 'Elsewhere',
    description: 'Agents that are called by the URL of their card.',
    version: '1',
    skills: [],
  };
  const executors = new Map<string, Promise<Execute>>();
  const execute: Execute = async (turn) => {
    const cardUrl = cardUrlOf(turn.agentId) ?? '';
    const executor = executors.get(cardUrl) ?? openExecutor(cardUrl);
    executors.delete(cardUrl);
    executors.set(cardUrl, executor);
    if (executors.size > MOST_EXECUTORS) executors.delete(executors.keys().next().value ?? '');
    return (await executor)(turn);
  };
  return {
    ...defineAgent({ id: 'elsewhere', card, concurrency: 100, turnTimeoutMs: 3_600_000, execute }),
    id: ELSEWHERE,
  };
}

/** The client is loaded with the first call: most workers make none. */
async function openExecutor(cardUrl: string): Promise<Execute> {
  const { remoteExecutor } = await import('@switchyard/executor-remote');
  return remoteExecutor({ cardUrl });
}
