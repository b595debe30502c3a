import { expect, it } from 'vitest';
import { call, type ErrorBody, post, type Sent, submit, userMessage } from './support/client.ts';
import { openStage } from './support/stage.ts';

it('a tenant that has spent its budget gets 429 with the time at which it renews, before anything is queued', async () => {
  await using stage = await openStage({ store: { budgetOfTenantPerDay: 1_000 } });
  const { id } = await submit(stage.url);
  const turn = await stage.beginTurn(id);
  await turn.recordUsage({ model: 'm', inputTokens: 1, microUsd: 999 });
  const accepted = immediate();
  const first = await post<Sent>(`${stage.url}/message:send`, accepted);
  expect(first.status).toBe(200);
  await turn.recordUsage({ model: 'm', inputTokens: 1, microUsd: 1 });
  const midnight = new Date((Math.floor(Date.now() / 86_400_000) + 1) * 86_400_000).toISOString();
  for (const message of [userMessage('new'), { ...userMessage('more'), taskId: id }]) {
    const { status, headers, body } = await post<ErrorBody>(`${stage.url}/message:send`, { ...immediate(), message });
    expect(status).toBe(429);
    expect(body.error.message).toContain(`it renews at ${midnight}`);
    const left = (Date.parse(midnight) - Date.now()) / 1_000;
    expect(Math.abs(Number(headers.get('retry-after')) - left)).toBeLessThan(10);
    expect(JSON.stringify(body)).toContain('budget-of-tenant');
  }
  // A repeated message gets the first answer.
  const again = await post<Sent>(`${stage.url}/message:send`, accepted);
  expect([again.status, again.body.task.id]).toEqual([200, first.body.task.id]);
  const rpc = await call<ErrorBody>(stage.url, 'SendMessage', immediate());
  expect(JSON.stringify(rpc.body)).toContain(midnight);
});

const immediate = () => ({ message: userMessage('hello'), configuration: { returnImmediately: true } });
