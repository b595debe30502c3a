import { expect, test } from 'vitest';
import { accepted, begun } from '../../../tests/support/store/drive.ts';
import { alice, testStore } from '../../../tests/support/store/redis.ts';

// What a diagnosis says of budgets for models.

const none = { microUsd: 0, tokens: 0 };

test('a task asks because its budget is spent, and not any more when it asks something else', async () => {
  const store = await testStore();
  const turn = await begun(store, (await accepted(store, alice)).taskId);
  const { taskId } = turn.start;
  const why = async () => (await store.ops.tasks.detail(taskId))?.diagnosis.text;
  await turn.recordUsage({ model: 'm', inputTokens: 30, outputTokens: 5 });
  await turn.spentBudget({ agent: { ...none, tokens: 20 }, client: none, asks: true });
  await turn.publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true });
  expect(await store.ops.tasks.detail(taskId)).toMatchObject({
    usage: { total: { inputTokens: 30, outputTokens: 5 } },
    budget: { tokens: 20 },
  });
  expect(await why()).toContain('has spent its budget, 35 tokens of 20 tokens, and asks');
  await accepted(store, alice, { messageId: 'yes', role: 'ROLE_USER', parts: [{ text: 'yes' }], taskId });
  const second = await begun(store, taskId, { job: 2 });
  await second.publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true });
  expect(await why()).toMatch(/^The task waits for an answer of its client to its question\. Without an answer /);
});

test('an open task says that the budget of its tenant is spent, and when it renews', async () => {
  const store = await testStore({ budgetOfTenantPerDay: 100 });
  const turn = await begun(store, (await accepted(store, alice)).taskId);
  const why = async () => (await store.ops.tasks.detail(turn.start.taskId))?.diagnosis;
  await turn.recordUsage({ model: 'm', inputTokens: 1, microUsd: 99 });
  expect((await why())?.text).not.toContain('budget');
  await turn.recordUsage({ model: 'm', inputTokens: 1, microUsd: 1 });
  expect(await why()).toMatchObject({
    text: expect.stringContaining(
      `of tenant "${alice.principal.tenant}" for models is spent: 0.0001 USD of 0.0001 USD`,
    ),
    see: expect.arrayContaining([{ kind: 'tenant', id: alice.principal.tenant }]),
  });
  expect((await why())?.text).toMatch(/renews at \d{4}-\d\d-\d\dT00:00:00\.000Z/);
});
