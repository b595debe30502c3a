import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { openStandInApi, type StandInApi } from '../../../tests/support/stand-in-api.ts';
import {
  agentReadingSchema,
  archiveSchema,
  bulkProgressSchema,
  conversationRowSchema,
  conversationSchema,
  deadLetterSchema,
  filesSchema,
  logLevelSchema,
  meSchema,
  OperatorClient,
  pageOf,
  seriesSchema,
  taskDetailSchema,
  taskPageSchema,
  tenantShareSchema,
  waitingTaskSchema,
  workerReadingSchema,
} from '../src/index.ts';

let api: StandInApi;
let client: OperatorClient;

beforeAll(async () => {
  api = await openStandInApi();
  client = new OperatorClient(api);
});
afterAll(() => api[Symbol.asyncDispose]());

const task = '/admin/tasks/00000000-0000-4000-8000-000000000007';
const conversation = '/admin/conversations/00000000-0000-4000-8000-0000001e8480';

it.each<[path: string, schema: z.ZodType]>([
  ['/admin/me', meSchema],
  ['/admin/log-level', logLevelSchema],
  ['/admin/archive', archiveSchema],
  ['/admin/files', filesSchema],
  ['/admin/tasks', taskPageSchema],
  [task, taskDetailSchema],
  ['/admin/agents', pageOf('agents', agentReadingSchema)],
  ['/admin/agents/pizza/tenants', z.object({ tenants: z.array(tenantShareSchema) })],
  ['/admin/workers', pageOf('workers', workerReadingSchema)],
  ['/admin/interrupted', pageOf('tasks', waitingTaskSchema)],
  ['/admin/dead-letters', pageOf('deadLetters', deadLetterSchema)],
  ['/admin/conversations', pageOf('conversations', conversationRowSchema)],
  [conversation, conversationSchema],
  ['/admin/series', seriesSchema],
])('the stand-in answers %s with exactly the fields of the schema', async (path, schema) => {
  const answer = await client.call(path, z.unknown());
  expect(schema.parse(answer)).toEqual(answer);
});

it('the stand-in lists tasks by page and by filter', async () => {
  const query = { agent: 'pizza', state: ['TASK_STATE_WORKING', 'TASK_STATE_FAILED'], pageSize: 400 };
  const first = await client.call('/admin/tasks', taskPageSchema, { query });
  const next = { query: { ...query, pageToken: first.nextPageToken } };
  const second = await client.call('/admin/tasks', taskPageSchema, next);
  expect([first.tasks.length, second.tasks.length]).toEqual([400, first.totalSize - 400]);
  expect(new Set([...first.tasks, ...second.tasks].map(({ agent }) => agent))).toEqual(new Set(['pizza']));
});

it('the stand-in streams changed answers, the events of a task, and the progress of a bulk operation', async () => {
  const watched = client.watch('/admin/me', meSchema);
  expect((await watched.next()).value?.name).toBe('operator');
  api.answer('/admin/me', { name: 'ada', may: 'all', canTry: false, version: '2' });
  expect((await watched.next()).value?.name).toBe('ada');
  await watched.return(undefined);

  const events = client.watch(`${task}/events`, z.record(z.string(), z.unknown()));
  const seen: string[] = [];
  for await (const event of events) {
    if (seen.push(...Object.keys(event)) === 3) api.send(`${task}/events`, { statusUpdate: {} });
    if (seen.length === 4) break;
  }
  expect(seen).toEqual(['task', 'artifactUpdate', 'artifactUpdate', 'statusUpdate']);

  const progress = client.events('/admin/dead-letters:retry', bulkProgressSchema, { method: 'POST', body: {} });
  const done: number[] = [];
  for await (const each of progress) done.push(each.done);
  expect(done).toEqual([0, 80, 160, 240, 320]);
});
