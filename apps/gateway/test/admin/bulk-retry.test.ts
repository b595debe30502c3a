import { type BulkProgress, bulkProgressSchema, OperatorClient } from '@switchyard/operator-api';
import { Ops } from '@switchyard/operators';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { begun } from '../../../../tests/support/store/drive.ts';
import { until } from '../../../../tests/support/until.ts';
import { submit } from '../support/client.ts';
import { type AdminStage, failAllAttempts, key, openAdminStage } from './support.ts';

let stage: AdminStage;
let client: OperatorClient;

beforeAll(async () => {
  stage = await openAdminStage({ maxAttempts: 1, shards: 4 });
  client = new OperatorClient({ url: stage.adminUrl, key });
});
afterAll(() => stage[Symbol.asyncDispose]());

interface List {
  readonly deadLetters: readonly { readonly taskId: string; readonly reason: string }[];
  readonly totalSize: number;
}
const left = async (query = ''): Promise<number> =>
  (await stage.ask<List>(`/admin/dead-letters?${query}`)).body.totalSize;

async function* retry(filter: object, signal?: AbortSignal): AsyncGenerator<BulkProgress> {
  const call = { method: 'POST', body: filter, ...(signal && { signal }) } as const;
  yield* client.events('/admin/dead-letters:retry', bulkProgressSchema, call);
}

async function last(filter: object): Promise<BulkProgress | undefined> {
  return (await Array.fromAsync(retry(filter))).at(-1);
}

it('dead letters are found by reason, agent, tenant and time', async () => {
  const first = await submit(stage.url);
  await failAllAttempts(stage.store, first.id);
  const until = new Date(Date.now() + 60_000).toISOString();
  expect(await left('reason=STOPPED%20unexpectedly')).toBe(1);
  expect(await left('agent=echo&tenant=default&kind=turn')).toBe(1);
  for (const none of ['reason=nothing', 'agent=other', 'tenant=other', 'kind=webhook', `since=${until}`])
    expect(await left(none), none).toBe(0);
  expect((await stage.ask('/admin/dead-letters?since=yesterday')).status).toBe(400);
  expect(await last({ agent: 'other' })).toEqual({ total: 0, done: 0, retried: 0, refused: 0, isDone: true });
  expect(await last({ reason: 'stopped' })).toEqual({ total: 1, done: 1, retried: 1, refused: 0, isDone: true });
  expect(await left()).toBe(0);
});

it('300 dead letters are retried once each, though one caller disconnects and two repeat it', async () => {
  const tasks = await Promise.all(Array.from({ length: 300 }, () => submit(stage.url)));
  await Promise.all(tasks.map(({ id }) => failAllAttempts(stage.store, id)));
  const leaving = new AbortController();
  const seen: BulkProgress[] = [];
  const read = async (): Promise<void> => {
    for await (const progress of retry({ agent: 'echo' }, leaving.signal)) {
      seen.push(progress);
      if (progress.done >= 50) leaving.abort();
    }
  };
  await expect(read()).rejects.toThrow('aborted');
  expect(seen[0]).toEqual({ total: 300, done: 0, retried: 0, refused: 0, isDone: false });
  let before = -1;
  const isStill = async (): Promise<boolean> => {
    const now = await left();
    const isSame = now === before;
    before = now;
    return isSame;
  };
  await until(isStill, { what: 'the retries end with their caller' });

  const [one, other] = await Promise.all([last({ agent: 'echo' }), last({ agent: 'echo' })]);
  expect(one?.isDone && other?.isDone).toBe(true);
  expect(await left()).toBe(0);
  const queues = await new Ops(stage.store).queues();
  // Each of the 301 tasks and its retry.
  expect(queues.added).toBe(602);
});

it('the question of a task that waits for a person is listed on request', async () => {
  const { id, contextId } = await submit(stage.url);
  const turn = await begun(stage.store, id);
  const message = {
    messageId: 'm',
    role: 'ROLE_AGENT' as const,
    parts: [{ text: 'Which size?' }, { text: 'And when?' }],
  };
  await turn.publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', message, settles: true });
  const listed = async (query: string) =>
    (await stage.ask<{ tasks: object[] }>(`/admin/interrupted?${query}`)).body.tasks;
  const owner = { taskId: id, contextId, agent: 'echo', tenant: 'default', subject: 'anonymous' };
  expect(await listed('contents=true')).toMatchObject([{ ...owner, question: 'Which size?\n\nAnd when?' }]);
  expect(await listed('')).toMatchObject([{ ...owner, question: '' }]);
});
