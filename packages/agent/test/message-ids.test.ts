import type { Task } from '@switchyard/protocol';
import { expect, it } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import type { Execute } from '../src/index.ts';
import { executeTurn } from '../src/runtime.ts';
import { MemoryPort } from '../src/testing/index.ts';

/** The message ids that an attempt at the same turn publishes. */
async function idsOf(execute: Execute): Promise<(string | undefined)[]> {
  const task: Task = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_SUBMITTED' } };
  const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'Hello' }] } as const;
  const port = new MemoryPort({ message: { ...message, parts: [...message.parts] }, task });
  await executeTurn(agentThat(execute), port);
  return port.published.map((event) => (event.kind === 'status' ? event.message?.messageId : undefined));
}

it('a message of the agent has the same id in every attempt that publishes the same content', async () => {
  const execute: Execute = async (turn) => {
    await turn.working('On it');
    return turn.complete('Done');
  };
  const [first, second] = [await idsOf(execute), await idsOf(execute)];
  expect(first).toEqual(second);
  expect(new Set(first).size).toBe(2);
});

it('a text that is repeated in an attempt, or differs in another attempt, has another id', async () => {
  const [once, again, done] = await idsOf(async (turn) => {
    await turn.working('On it');
    await turn.working('On it');
    return turn.complete('Done');
  });
  const [other] = await idsOf((turn) => turn.complete('Done, more or less'));
  expect(new Set([once, again, done, other]).size).toBe(4);
});
