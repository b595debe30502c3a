import { taskPageSchema } from '@switchyard/operator-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ErrorBody, submit, userMessage } from '../support/client.ts';
import { type AdminStage, fieldsOf, openAdminStage } from './support.ts';

let stage: AdminStage;

beforeAll(async () => {
  stage = await openAdminStage({ shards: 2 });
});

afterAll(() => stage[Symbol.asyncDispose]());

const list = async (query: string) => {
  const { status, body } = await stage.ask(`/admin/tasks${query}`);
  expect(status).toBe(200);
  return taskPageSchema.parse(body);
};

describe('the list of the tasks of all principals', () => {
  it('is filtered by a query, page by page', async () => {
    const { id } = await submit(stage.url, userMessage('one "more"'));
    await submit(stage.url);
    await submit(stage.url);
    const first = await list('?pageSize=2&agent=echo&state=TASK_STATE_SUBMITTED,TASK_STATE_WORKING');
    expect([first.tasks.length, first.totalSize, first.isPartial]).toEqual([2, 3, false]);
    const second = await list(
      `?pageSize=2&agent=echo&state=TASK_STATE_SUBMITTED,TASK_STATE_WORKING&pageToken=${first.nextPageToken}`,
    );
    expect(second.tasks.map(({ taskId, text }) => [taskId, text])).toEqual([[id, '']]);
    expect(second.nextPageToken).toBe('');
    expect((await list(`?id=${id}&contents=true`)).tasks[0]?.text).toBe('one "more"');
    expect((await list('?agent=echo&state=TASK_STATE_FAILED')).totalSize).toBe(0);
    expect((await list('?until=2020-01-01T00:00:00Z')).totalSize).toBe(0);
  });

  it.each(['C:\\', 'a \\u12', '\\u12 "quoted" \\', '\\'.repeat(300)])('shows any text: %j', async (text) => {
    const { id } = await submit(stage.url, userMessage(text));
    expect((await list(`?id=${id}&contents=true`)).tasks[0]?.text).toBe(text.slice(0, 120));
  });

  it('says that words are searched in an archive only', async () => {
    const answer = await stage.ask<ErrorBody>('/admin/tasks?text=invoice');
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['text']]);
    expect(answer.body.error.message).toContain('needs an archive');
  });

  it('names a parameter that occurs twice', async () => {
    const answer = await stage.ask<ErrorBody>('/admin/tasks?contents=true&contents=x');
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['contents']]);
  });

  it('takes short names of states, as the CLI does', async () => {
    const full = await list('?agent=echo&state=TASK_STATE_SUBMITTED');
    expect(full.totalSize).toBeGreaterThan(0);
    for (const state of ['submitted', 'SUBMITTED', 'failed,%20submitted', 'task_state_submitted,input-required'])
      expect((await list(`?agent=echo&state=${state}`)).totalSize).toBe(full.totalSize);
  });

  it.each([
    ['state=faild', 'state has no state "faild": there are TASK_STATE_SUBMITTED, '],
    ['state=failed,', 'state has no state "": there are'],
    [
      'stat=failed',
      'stat is not a parameter of this request; there are pageSize, pageToken, id, contextId, agent, state,',
    ],
    [`reason=${'x'.repeat(201)}`, 'reason must have at most 200 characters'],
    ['sort=price', 'sort must be cost'],
  ])('says in plain words what is wrong: %s', async (query, text) => {
    const answer = await stage.ask<ErrorBody>(`/admin/tasks?${query}`);
    expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringContaining(text)]);
  });

  it('names every wrong filter', async () => {
    const answer = await stage.ask<ErrorBody>('/admin/tasks?state=DONE&since=yesterday&pageSize=501&what=1');
    expect(fieldsOf(answer)).toEqual(expect.arrayContaining(['since', 'pageSize', 'what']));
    expect(answer.status).toBe(400);
  });
});
