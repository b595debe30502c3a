import { expect, inject, it } from 'vitest';
import { numberedLines } from '../support/all-events.ts';
import { userMessage } from '../support/messages.ts';
import { getTask, send } from '../support/rest.ts';
import { startStack } from '../support/stack.ts';

// On a busy machine processes start slowly.
const chunks = 10_000;

// What each of them costs: tests/budgets/chunks.test.ts.
it('an artifact of 10,000 chunks contains every chunk once', async () => {
  await using stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['echo'] });
  const [url = ''] = stack.urls;
  const { id } = await send(url, userMessage(`stream ${chunks}`));
  const { artifacts } = await getTask(url, id);
  expect(artifacts).toMatchObject([{ name: 'Stream', parts: [{ text: numberedLines('chunk', chunks) }] }]);
});
