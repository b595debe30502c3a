import type { Usage } from '@switchyard/operator-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ErrorBody, submit } from '../support/client.ts';
import { type AdminStage, begin, openAdminStage } from './support.ts';

let stage: AdminStage;
let taskId: string;
const today = () => new Date().toISOString().slice(0, 10);

beforeAll(async () => {
  stage = await openAdminStage();
  taskId = (await submit(stage.url)).id;
  const turn = await begin(stage.store, taskId);
  await turn.recordUsage({ model: 'small', inputTokens: 100, outputTokens: 10, calls: 2, microUsd: 300 });
  await turn.recordUsage({ model: 'maker/large', inputTokens: 5, calls: 1, unpricedCalls: 1 });
});

afterAll(() => stage[Symbol.asyncDispose]());

it('what was used of models is summed by agent, tenant, model and day, and limited by them', async () => {
  const total = { inputTokens: 105, outputTokens: 10, calls: 3, unpricedCalls: 1, microUsd: 300 };
  const { body } = await stage.ask<Usage>('/admin/usage');
  expect(body).toMatchObject({ by: 'agent', to: today(), total, totalSize: 1, rows: [{ name: 'echo', ...total }] });
  expect(body.days).toEqual([{ name: today(), ...total }]);
  const byModel = (await stage.ask<Usage>(`/admin/usage?by=model&from=${today()}`)).body;
  expect(byModel.rows.map(({ name }) => name)).toEqual(['small', 'maker/large']);
  expect((await stage.ask<Usage>('/admin/usage?by=tenant')).body.rows).toEqual([{ name: 'default', ...total }]);
  const large = (await stage.ask<Usage>('/admin/usage?model=maker/large&by=day')).body;
  expect(large.rows).toEqual([{ name: today(), inputTokens: 5, calls: 1, unpricedCalls: 1 }]);
  expect((await stage.ask<Usage>('/admin/usage?agent=other')).body).toMatchObject({ total: {}, rows: [], days: [] });
});

it('a task has its usage so far, while it runs', async () => {
  const { body } = await stage.ask<{ usage: unknown }>(`/admin/tasks/${taskId}`);
  expect(body.usage).toMatchObject({ total: { microUsd: 300 }, own: [{ model: 'small' }, { model: 'maker/large' }] });
});

it.each([
  ['by=hour', 'by'],
  ['from=yesterday', 'from'],
  ['from=2024-01-01', 'from'],
  ['since=7d', 'since'],
])('%s is refused with the field', async (query, field) => {
  const { status, body } = await stage.ask<ErrorBody>(`/admin/usage?${query}`);
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain(`"${field}"`);
});
