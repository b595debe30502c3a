import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { defineAgent } from '@switchyard/agent';
import { PostgresArchive } from '@switchyard/archive/postgres-archive';
import { Ops, type TenantDeletion } from '@switchyard/operators';
import { isOutage, Store, type StoreSettings, type TaskReading } from '@switchyard/store';
import { sortableTime, withdrawnLetter } from '@switchyard/store/inside';
import { AgentIndexes } from '@switchyard/upkeep';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { skippedFor } from '../../../tests/support/has-program.ts';
import { missingPostgres, startPostgres, type TestPostgres } from '../../../tests/support/postgres.ts';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { until } from '../../../tests/support/until.ts';
import { Worker, type WorkerEvent } from '../src/index.ts';

const skipped = missingPostgres === undefined ? '' : skippedFor(missingPostgres);
const DAY = 86_400_000;
const scope = { principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent: 'writes' };
const bob = { ...scope, principal: { ...scope.principal, subject: 'bob' } };

describe.skipIf(skipped)(`the archive${skipped && ` (not tested: ${skipped})`}`, () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  /** A worker whose agent writes an artifact, and asks if the message says so. Redis forgets tasks when they say so. */
  async function open(settings: Partial<StoreSettings> = {}, { share = 1 } = {}) {
    const [prefix, redisUrl] = [uniquePrefix(), inject('redisUrl')];
    const onError = (): void => undefined;
    const archive = new PostgresArchive({ url: postgres.url, schema: prefix, timeoutMs: 5_000, onError });
    await archive.start();
    const store = new Store({ redisUrl, prefix, shards: 2, ...settings }, onError, archive);
    await store.start();
    const redis = new Redis(redisUrl);
    const card = { name: 'Writes', description: 'Writes.', version: '1.0.0', skills: [] };
    const agent = defineAgent({
      id: 'writes',
      card,
      execute: async (turn) => {
        if (turn.text === 'ask') return turn.requireInput('Which?');
        if (turn.text === 'large') {
          for (const name of ['first', 'second']) {
            const artifact = turn.artifact({ artifactId: name, name });
            for (let part = 0; part < 3; part += 1) await artifact.append(`${part}é"\\\t`.repeat(150_000));
            await artifact.finish('end');
          }
          return turn.complete('Done.');
        }
        await turn.artifact({ artifactId: 'answer', name: 'Answer' }).finish(`${turn.text} done`);
        return turn.complete('Done.');
      },
    });
    const events: WorkerEvent[] = [];
    const worker = new Worker(
      { drainMs: 0, sweepEveryMs: 1_000, archive: { afterMs: 1, retentionMs: 0, everyMs: 100, share } },
      {
        store,
        agents: [agent],
        emit: (event) => void events.push(event),
      },
    );
    await worker.start();
    onTestFinished(async () => {
      await worker.stop();
      await store.stop();
      await archive.stop();
      redis.disconnect();
    });
    const ops = new Ops(store);
    const send = async (text: string, ids: { taskId?: string; contextId?: string } = {}): Promise<string> => {
      const message = { messageId: randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }], ...ids };
      const accepted = await store.tasks.accept(scope, { message });
      if (accepted.verdict !== 'accepted') throw new Error(accepted.verdict);
      const { taskId } = accepted;
      const state = text === 'ask' ? 'TASK_STATE_INPUT_REQUIRED' : 'TASK_STATE_COMPLETED';
      await until(async () => (await store.tasks.read(scope, taskId))?.state === state, {
        what: `the task is ${state}`,
      });
      return taskId;
    };
    const isCopied = async (taskId: string) => (await archive.existing([taskId])).has(taskId);
    /**
     * Waits until the tasks are in the archive, and lets Redis forget them, as it does after the retention: its lists do
     * then, too.
     */
    const forget = async (...taskIds: string[]): Promise<void> => {
      await until(async () => (await Promise.all(taskIds.map(isCopied))).every(Boolean), { what: 'they are copied' });
      const { retentionMs = 0 } = settings;
      if (retentionMs > 0) await delay(retentionMs + 100);
      for (const id of taskIds) {
        const keys = (await redis.keys(`${prefix}{s*}:t:${id}*`)).filter((key) => key.includes(id));
        await redis.del(...keys);
      }
    };
    return { archive, store, ops, redis, prefix, worker, events, send, forget, isCopied };
  }

  const text = (reading: TaskReading | undefined): string | undefined => reading?.task?.toString();

  test('a task is read there as it was read in Redis, by its owner only', async () => {
    const { store, ops, send, forget } = await open();
    const taskId = await send('ask');
    await send('write it', { taskId });
    const views = [{}, { historyLength: 1 }, { historyLength: 0 }, { includeArtifacts: false }, { historyLength: 2 }];
    const read = () => Promise.all(views.map((view) => store.tasks.read(scope, taskId, view)));
    const before = await read();
    await forget(taskId);
    const after = await read();
    const parsed = (readings: typeof before) => readings.map((one) => JSON.parse(text(one) ?? ''));
    expect(parsed(after)).toEqual(parsed(before));
    expect(after.map((one) => ({ ...one, task: '' }))).toEqual(before.map((one) => ({ ...one, task: '' })));
    expect(JSON.parse(text(after[0]) ?? '')).toMatchObject({
      artifacts: [{ artifactId: 'answer' }],
      history: [{}, {}, {}, {}],
    });
    const { version = '' } = after[0] ?? {};
    expect(await store.tasks.read(scope, taskId, { version })).toMatchObject({ version });
    expect((await store.tasks.read(scope, taskId, { version }))?.task).toBeUndefined();
    expect(await store.tasks.read(bob, taskId)).toBeUndefined();
    expect(await store.tasks.existing([taskId, 'other'])).toEqual(new Set([taskId]));
    expect(await ops.tasks.contents(taskId)).toBe(text(after[0]));
  });

  test('a large task, whose texts are outside of its record, is copied whole', async () => {
    const { store, send, forget } = await open();
    const taskId = await send('large');
    const views = [{}, { historyLength: 1 }, { includeArtifacts: false }];
    const read = () => Promise.all(views.map((view) => store.tasks.read(scope, taskId, view)));
    const parsed = async () => (await read()).map((reading) => JSON.parse(text(reading) ?? ''));
    const before = await parsed();
    expect(JSON.stringify(before[0]).length).toBeGreaterThan(3_000_000);
    await forget(taskId);
    expect(await parsed()).toEqual(before);
  });

  test('small tasks are written together, so that a busy worker copies as many as end; a large one is alone', async () => {
    const { archive, redis, prefix, send, isCopied } = await open({ shards: 1 });
    const claim = `${prefix}{s0}:outbox:archived:claim`;
    const isOurs = async () => (await redis.set(claim, '', 'PX', 120_000, 'NX')) === 'OK';
    await until(isOurs, { what: 'the worker copies nothing' });
    const ids = await Promise.all(Array.from({ length: 60 }, () => send('write')));
    ids.push(await send('large'));
    const put = vi.spyOn(archive, 'put');
    await redis.del(claim);
    await until(async () => (await Promise.all(ids.map(isCopied))).every(Boolean), { what: 'they are copied' });
    const sizes = put.mock.calls.map(([tasks]) => tasks.length);
    expect(sizes.toSorted((a, b) => b - a)).toEqual([60, 1]);
  });

  test('a worker rests after a batch, and keeps its claim, until it stops', async () => {
    // It would rest for hours.
    const { redis, prefix, send, isCopied, worker } = await open({ shards: 1, retentionMs: 10 * DAY }, { share: 1e-9 });
    const first = await send('one');
    await until(() => isCopied(first), { what: 'the first batch is copied' });
    const second = await send('two');
    const claim = `${prefix}{s0}:outbox:archived:claim`;
    await until(async () => (await redis.pttl(claim)) > 3_600_000, { what: 'the worker rests' });
    expect(await isCopied(second)).toBe(false);
    await worker.stop();
    expect(await redis.exists(claim)).toBe(0);
  });

  test('it does not rest while tasks are late, nor while Redis is short of room', async () => {
    const copiesAll = async ({ send, isCopied }: Awaited<ReturnType<typeof open>>): Promise<void> => {
      for (const text of ['one', 'two', 'three']) {
        const taskId = await until(() => send(text), { what: `there is room for ${text}` });
        await until(() => isCopied(taskId), { what: `${text} is copied` });
      }
    };
    // Redis forgets them at once.
    await copiesAll(await open({ shards: 1, retentionMs: 2_000 }, { share: 1e-9 }));
    // A task replaces the one before, once that is copied.
    const replacing = { maxKeptTasks: 1, retentionMinMs: 1 };
    await copiesAll(await open({ shards: 1, retentionMs: 10 * DAY, ...replacing }, { share: 1e-9 }));
  });

  test('it takes no message, cannot be canceled, and is deleted for good', async () => {
    const { store, send, forget, archive, redis, prefix } = await open();
    const taskId = await send('write');
    await forget(taskId);
    const sent = (ids: object, parts = [{ text: 'more' }]) =>
      store.tasks.accept(scope, { message: { messageId: randomUUID(), role: 'ROLE_USER', parts, ...ids } });
    expect(await sent({ taskId })).toEqual({ verdict: 'terminal' });
    expect(await sent({ taskId, contextId: 'other' })).toEqual({ verdict: 'context-mismatch' });
    const { seq = 0 } = (await store.tasks.read(scope, taskId)) ?? {};
    const message = { messageId: randomUUID(), role: 'ROLE_USER' as const, parts: [{ text: 'more' }], taskId };
    expect(await store.tasks.accept(scope, { message, ifSeq: seq })).toEqual({ verdict: 'terminal' });
    expect(await store.tasks.accept(scope, { message, ifSeq: 1 })).toEqual({ verdict: 'other-seq', seq });
    expect(await store.tasks.cancel(scope, taskId)).toBe('terminal');
    expect(await store.tasks.cancel(scope, taskId, { ifSeq: seq })).toBe('terminal');
    expect(await store.tasks.cancel(scope, taskId, { ifSeq: 1 })).toBe('other-seq');
    expect(await store.tasks.cancel(bob, taskId)).toBe('missing');
    expect(await store.tasks.delete(bob, taskId)).toBe('missing');
    expect(await store.tasks.delete(scope, taskId)).toBe('deleted');
    expect(await store.tasks.delete(scope, taskId)).toBe('missing');
    expect(await store.tasks.read(scope, taskId)).toBeUndefined();
    expect(await sent({ taskId })).toEqual({ verdict: 'missing' });

    // One that Redis still has is deleted in both: also if all tasks are copied again.
    const other = await send('write');
    await until(async () => (await archive.existing([other])).has(other), { what: 'it is copied' });
    expect(await store.tasks.delete(scope, other)).toBe('deleted');
    for (const key of await redis.keys(`${prefix}*outbox:archived`)) await redis.del(key);
    const third = await send('write');
    await until(async () => (await archive.existing([third])).has(third), { what: 'it is copied' });
    expect(await archive.existing([other, taskId])).toEqual(new Set());
  });

  test('a message that is sent again is answered with its task, also if that was dropped for lack of room', async () => {
    const { store, send, forget, archive, redis, prefix } = await open({ maxKeptTasks: 2, retentionMinMs: 1 });
    const sent = (text: string, ids: object = {}) =>
      store.tasks.accept(scope, {
        message: { messageId: 'sent twice', role: 'ROLE_USER', parts: [{ text }], ...ids },
      });
    const first = await sent('ask');
    const { taskId } = first.verdict === 'accepted' ? first : { taskId: '' };
    const state = async () => (await store.tasks.read(scope, taskId))?.state;
    await until(async () => (await state()) === 'TASK_STATE_INPUT_REQUIRED', { what: 'it asks' });
    const answer = { messageId: 'answered twice', role: 'ROLE_USER' as const, parts: [{ text: 'write' }], taskId };
    expect(await store.tasks.accept(scope, { message: answer })).toMatchObject({ isDuplicate: false });
    await until(async () => (await state()) === 'TASK_STATE_COMPLETED', { what: 'it is done' });
    await forget(taskId);
    const again = { verdict: 'accepted', isNew: false, isDuplicate: true, taskId };
    expect(await sent('ask')).toMatchObject({ ...again, number: 1 });
    expect(await store.tasks.accept(scope, { message: answer })).toMatchObject({ ...again, number: 2 });
    expect(await sent('other')).toEqual({ verdict: 'conflict' });
    expect(await sent('ask', { contextId: taskId })).toEqual({ verdict: 'conflict' });
    expect(await store.tasks.delete(scope, taskId)).toBe('deleted');
    expect(await sent('ask')).toMatchObject({ verdict: 'accepted', isDuplicate: false });

    // One for which there is no room is forgotten, its messages are not.
    const message = { messageId: 'dropped', role: 'ROLE_USER' as const, parts: [{ text: 'write' }] };
    const dropped = await store.tasks.accept(scope, { message });
    const droppedId = dropped.verdict === 'accepted' ? dropped.taskId : '';
    await until(async () => (await archive.existing([droppedId])).has(droppedId), { what: 'it is copied' });
    const isDropped = async () => {
      await send('write').catch(() => undefined);
      return (await redis.keys(`${prefix}{s*}:t:${droppedId}`)).length === 0;
    };
    await until(isDropped, { what: 'it is dropped' });
    expect(await store.tasks.accept(scope, { message })).toMatchObject({ isDuplicate: true, taskId: droppedId });
  });

  test('once it is deleted, its messages are forgotten, also those with an idempotency key', async () => {
    const { store, send, forget } = await open({ shards: 1 });
    const question = { messageId: 'a question', role: 'ROLE_USER' as const, parts: [{ text: 'ask' }] };
    const answer = { messageId: 'an answer', role: 'ROLE_USER' as const, parts: [{ text: 'write' }] };
    for (const keys of [{}, { idempotencyKey: 'one: key' }]) {
      const ask = () => store.tasks.accept(scope, { message: question, ...keys });
      const reply = (taskId: string) =>
        store.tasks.accept(scope, { message: { ...answer, taskId }, idempotencyKey: 'another key' });
      const asked = await ask();
      const { taskId } = asked.verdict === 'accepted' ? asked : { taskId: '' };
      const state = async () => (await store.tasks.read(scope, taskId))?.state;
      await until(async () => (await state()) === 'TASK_STATE_INPUT_REQUIRED', { what: 'it asks' });
      await reply(taskId);
      await until(async () => (await state()) === 'TASK_STATE_COMPLETED', { what: 'it is done' });
      await forget(taskId);
      expect(await ask()).toMatchObject({ isDuplicate: true, taskId });
      expect(await store.tasks.delete(scope, taskId)).toBe('deleted');
      const again = await ask();
      expect(again).toMatchObject({ isDuplicate: false });
      expect(again).not.toMatchObject({ taskId });
      const other = await send('ask');
      expect(await reply(other)).toMatchObject({ isDuplicate: false, taskId: other });
      await until(async () => (await store.tasks.read(scope, other))?.state === 'TASK_STATE_COMPLETED', {
        what: 'the other one is done',
      });
      await store.tasks.delete(scope, other);
    }
  });

  test('lists have one order, exact totals and tokens over Redis and the archive', async () => {
    const { store, send, redis, forget } = await open({ retentionMs: 5_000 });
    const first = await send('one');
    const contextId = JSON.parse(text(await store.tasks.read(scope, first)) ?? '').contextId;
    const ids = [first];
    for (const word of ['two', 'three']) ids.push(await send(word));
    ids.push(await send('four', { contextId }));
    const waiting = await send('ask');
    await forget(...ids);
    const young = await send('five');
    const all = [young, waiting, ...ids.reverse()];
    const pages: string[] = [];
    for (let pageToken = ''; ; ) {
      const page = await store.tasks.list(scope, { pageSize: 2, pageToken });
      expect(page.totalSize).toBe(6);
      pages.push(...page.tasks.map((json) => JSON.parse(json).id));
      pageToken = page.nextPageToken;
      if (pageToken === '') break;
    }
    expect(pages).toEqual(all);
    const idsOf = async (query: object) =>
      (await store.tasks.list(scope, { pageSize: 10, ...query })).tasks.map((json) => JSON.parse(json).id);
    expect(await idsOf({ contextId })).toEqual([ids[0], first]);
    expect(await idsOf({ state: 'TASK_STATE_INPUT_REQUIRED' })).toEqual([waiting]);
    expect(await idsOf({ state: 'TASK_STATE_COMPLETED' })).toEqual([young, ...ids]);
    const since = JSON.parse(text(await store.tasks.read(scope, ids[1] ?? '')) ?? '').status.timestamp;
    expect(await idsOf({ statusTimestampAfter: since })).toEqual([young, waiting, ids[0], ids[1]]);
    expect((await store.tasks.list(bob, { pageSize: 10 })).totalSize).toBe(0);
    const context = { contextId, agents: ['writes'], limit: 10, historyLength: 0, except: young };
    expect((await store.tasks.context(scope.principal, context)).map(({ taskId }) => taskId)).toEqual([ids[0], first]);
    expect(await redis.dbsize()).toBeGreaterThan(0);
  });

  test('operators find it, see its timeline, run it again, and delete a tenant with its archived tasks', async () => {
    const { ops, send, forget, store, archive } = await open({ retentionMs: 5_000 });
    const taskId = await send('write');
    const before = await ops.tasks.detail(taskId, { hasTimeline: true });
    await forget(taskId);
    const search = { pageSize: 10, hasText: true, agent: 'writes', states: ['TASK_STATE_COMPLETED' as const] };
    const { tasks } = await ops.searchTasks(search);
    expect(tasks).toMatchObject([{ taskId, text: 'write', tenant: 'acme', subject: 'alice' }]);
    for (const filter of [
      { tenant: 'acme' },
      { tenant: 'acme', subject: 'alice' },
      { contextId: before?.contextId },
      { id: taskId },
    ])
      expect
        .soft(
          (await ops.searchTasks({ pageSize: 10, hasText: false, ...filter })).tasks.map((one) => one.taskId),
          JSON.stringify(filter),
        )
        .toEqual([taskId]);
    for (const filter of [{ tenant: 'other' }, { agent: 'other' }, { states: ['TASK_STATE_FAILED' as const] }])
      expect((await ops.searchTasks({ pageSize: 10, hasText: false, ...filter })).totalSize).toBe(0);
    const after = await ops.tasks.detail(taskId, { hasTimeline: true });
    expect(after).toMatchObject({ isArchived: true, state: 'TASK_STATE_COMPLETED', seq: before?.seq });
    expect(after?.timeline?.entries).toEqual(before?.timeline?.entries);
    expect(after?.expiresAt).toBeUndefined();
    const endedAt = after?.timeline?.entries.at(-1)?.at;
    expect(await ops.archiver?.status()).toEqual({
      tasks: 1,
      bytes: expect.any(Number),
      oldestEndedAt: endedAt,
      latestEndedAt: endedAt,
      delayMs: expect.any(Number),
      leftOut: [],
    });
    expect((await ops.tasks.diagnosis(taskId))?.finding).toBe(before?.diagnosis.finding);

    const again = await ops.tasks.rerun(taskId, { messageId: randomUUID(), operator: 'olga' });
    expect(again).toMatchObject({ verdict: 'started' });
    if (again.verdict !== 'started') return;
    const isDone = async () => (await store.tasks.read(scope, again.taskId))?.state === 'TASK_STATE_COMPLETED';
    await until(isDone, { what: 'the new task has ended' });
    const [copy] = (await archive.read([taskId], { contents: 'none' })).values();
    if (!copy) throw new Error('it is not archived');
    const known = {
      ...copy,
      agent: 'writes',
      time: '00000001',
      endedAt: '00000001',
      row: '{}',
      detail: '',
      origin: '[]',
    };
    const json = { head: '{', artifacts: '', history: [], tail: '}' };
    await archive.put(Array.from({ length: 2_500 }, (_, i) => ({ ...known, id: `old-${i}`, json })));
    const steps: TenantDeletion[] = [];
    const deletion = async () => {
      const step = await ops.tenants.delete('acme');
      if (step) steps.push(step);
      return step?.isComplete === true;
    };
    await until(deletion, { what: 'the tenant is deleted' });
    expect(steps.reduce((sum, { deletedTasks }) => sum + deletedTasks, 0)).toBeGreaterThanOrEqual(2_502);
    const left = steps.flatMap(({ archivedTasksLeft }) => archivedTasksLeft ?? []);
    expect(left.at(-1)).toBe(0);
    expect(left).toEqual(left.toSorted((a, b) => b - a));
    expect(await store.tasks.read(scope, taskId)).toBeUndefined();
    expect(await ops.tasks.detail(taskId)).toBeUndefined();
  });

  test('while PostgreSQL is away, only what it has cannot be read; then copying goes on', async () => {
    const { store, send, forget, isCopied, events } = await open();
    const old = await send('write');
    await forget(old);
    postgres.freeze();
    let young = '';
    try {
      young = await send('write');
      expect(await store.tasks.read(scope, young)).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
      const failure = await store.tasks.read(scope, old).catch((error: unknown) => error);
      expect([isOutage(failure), String(failure)]).toEqual([true, expect.stringContaining('ARCHIVE_URL')]);
      await expect.poll(() => events).toContainEqual(expect.objectContaining({ kind: 'error', where: 'archive' }));
    } finally {
      postgres.thaw();
    }
    await until(() => isCopied(young), { what: 'it is copied' });
    expect(await store.tasks.read(scope, old)).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
  });

  test('operators find a task whose client was given a plain message instead; the client does not', async () => {
    const { store, ops, archive, redis, prefix, send, forget } = await open({ retentionMs: 5_000 });
    const taskId = await send('write');
    await store.tasks.withdraw(scope, taskId);
    for (const key of await redis.keys(`${prefix}*outbox:archived*`)) await redis.del(key);
    const isWithdrawn = async () =>
      (await archive.read([taskId], { contents: 'none' })).get(taskId)?.letter === withdrawnLetter;
    await until(isWithdrawn, { what: 'it is copied again' });
    await forget(taskId);
    const search = { pageSize: 10, hasText: false };
    for (const filter of [
      {},
      { agent: 'writes' },
      { states: ['TASK_STATE_COMPLETED' as const] },
      { subject: 'alice', tenant: 'acme' },
    ])
      expect((await ops.searchTasks({ ...search, ...filter })).tasks, JSON.stringify(filter)).toMatchObject([
        { taskId },
      ]);
    expect((await store.tasks.list(scope, { pageSize: 10 })).totalSize).toBe(0);
    expect(await store.tasks.read(scope, taskId)).toMatchObject({ isWithdrawn: true });
  });

  test('operators find it by its words as soon as it is copied, with other filters, until it is deleted', async () => {
    const { store, ops, send, isCopied } = await open();
    const taskId = await send('The green invoice');
    const other = await send('The red invoice');
    await until(async () => (await isCopied(taskId)) && (await isCopied(other)), { what: 'both are copied' });
    const found = async (filter: object) => {
      const { tasks } = await ops.searchTasks({ pageSize: 10, hasText: true, ...filter });
      return tasks.map((task) => task.taskId);
    };
    expect(await found({ text: 'invoice' })).toEqual([other, taskId]);
    const detail = await ops.tasks.detail(taskId);
    for (const filter of [
      { agent: 'writes' },
      { tenant: 'acme' },
      { tenant: 'acme', subject: 'alice' },
      { tenant: 'acme', subject: 'alice', agent: 'writes' },
      { subject: 'alice' },
      { states: ['TASK_STATE_COMPLETED' as const] },
      { contextId: detail?.contextId },
      { id: taskId },
      { sort: 'cost' as const },
      { since: '2020-01-01T00:00:00Z' },
    ])
      expect.soft(await found({ text: '"green invoice"', ...filter }), JSON.stringify(filter)).toEqual([taskId]);
    for (const filter of [
      { id: other },
      { agent: 'other' },
      { subject: 'bob' },
      { states: ['TASK_STATE_WORKING' as const] },
      { stuck: true },
      { reason: 'threw' },
      { until: '2020-01-01T00:00:00Z' },
    ])
      expect.soft(await found({ text: 'green', ...filter }), JSON.stringify(filter)).toEqual([]);
    const first = await ops.searchTasks({ pageSize: 1, hasText: true, text: 'invoice' });
    expect(first).toMatchObject({ totalSize: 2, isPartial: false });
    expect(await found({ text: 'invoice', pageToken: first.nextPageToken })).toEqual([taskId]);
    await store.tasks.delete(scope, other);
    expect(await found({ text: 'invoice' })).toEqual([taskId]);
  });

  test('a search for words that takes too long says how to narrow it', async () => {
    const { ops, prefix } = await open();
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(`BEGIN; LOCK TABLE "${prefix}".tasks`);
    const search = ops.searchTasks({ pageSize: 10, hasText: false, text: 'invoice' });
    await expect(search.finally(() => client.end())).rejects.toThrow(/too many tasks.*add agent, tenant, since/);
  });

  test('what is not copied stays in the index of its agent, where it is found, also past its retention', async () => {
    const { store, ops, redis, prefix, send, worker } = await open({ retentionMs: 2_000 });
    await send('write');
    await worker.stop();
    await delay(2_100);
    const trim = async (cursor: string): Promise<number> => {
      for (const key of await redis.keys(`${prefix}*outbox:archived`)) await redis.set(key, cursor);
      await new AgentIndexes(store.inside).trim();
      const indexes = await redis.keys(`${prefix}{s*}:a:writes`);
      return (await Promise.all(indexes.map((key) => redis.zcard(key)))).reduce((sum, count) => sum + count, 0);
    };
    expect(await trim('')).toBe(1);
    expect((await ops.archiver?.status())?.delayMs).toBeGreaterThan(2_000);
    expect(await trim(sortableTime('2020-01-01T00:00:00Z'))).toBe(1);
    expect(await trim(sortableTime('2050-01-01T00:00:00Z'))).toBe(0);
  });

  test('a damaged task is named, and does not keep others from being copied', async () => {
    const { ops, worker, redis, prefix, send, isCopied } = await open();
    const [damaged, other] = [await send('one'), await send('two')];
    await worker.stop();
    for (const key of await redis.keys(`${prefix}*outbox:archived*`)) await redis.del(key);
    for (const key of await redis.keys(`${prefix}{s*}:t:${damaged}`)) await redis.hdel(key, 'status');
    const options = { afterMs: 1, everyMs: 1, signal: new AbortController().signal };
    expect(await ops.archiver?.run(options)).toMatchObject({ copied: 1, damaged: [{ taskId: damaged }] });
    expect(await isCopied(other)).toBe(true);
  });

  test('a task that PostgreSQL refuses is named, and does not keep others from being copied', async () => {
    const { ops, prefix, send, isCopied, events, store } = await open();
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query(`ALTER TABLE "${prefix}".tasks ADD CHECK (artifacts NOT LIKE '%secret%')`);
    const ids = await Promise.all(['one', 'secret', 'two', 'three'].map((word) => send(word)));
    const [one = '', refused = '', two = '', three = ''] = ids;
    await until(async () => (await Promise.all([one, two, three].map(isCopied))).every(Boolean), {
      what: 'the others are copied',
    });
    const isNamed = () => events.some((event) => event.kind === 'task-not-archived' && event.taskId === refused);
    await until(async () => isNamed(), { what: 'it is named' });
    expect(inspect(events, { depth: 9 })).not.toContain('secret done');
    expect(await ops.archiver?.status()).toMatchObject({ tasks: 3, leftOut: [refused] });
    await client.query(`ALTER TABLE "${prefix}".tasks DROP CONSTRAINT tasks_artifacts_check`);
    await store.tasks.delete(scope, refused);
    expect(await ops.archiver?.status()).toMatchObject({ leftOut: [] });
  });

  test('what clients have written is copied, also if a row for operators cannot be read', async () => {
    const { store, ops, worker, redis, prefix, send, forget } = await open({ retentionMs: 5_000 });
    const taskId = await send('one');
    const read = async () => JSON.parse(text(await store.tasks.read(scope, taskId)) ?? '');
    const before = await read();
    await worker.stop();
    for (const key of await redis.keys(`${prefix}*outbox:archived*`)) await redis.del(key);
    for (const key of await redis.keys(`${prefix}{s*}:t:${taskId}`)) await redis.hset(key, 'later', 'soon');
    await delay(2);
    const options = { afterMs: 1, everyMs: 1, signal: new AbortController().signal };
    expect(await ops.archiver?.run(options)).toMatchObject({ damaged: [] });
    await forget(taskId);
    expect(await read()).toEqual(before);
    expect((await ops.searchTasks({ pageSize: 10, hasText: true })).tasks).toMatchObject([{ taskId, text: '' }]);
  });

  test('an agent is forgotten when all of its tasks are copied', async () => {
    const { store, ops, worker, send, isCopied } = await open();
    const first = await send('one');
    await until(() => isCopied(first), { what: 'it is copied' });
    await worker.stop();
    const message = { messageId: randomUUID(), role: 'ROLE_USER' as const, parts: [{ text: 'late' }] };
    const accepted = await store.tasks.accept(scope, { message });
    expect(await ops.agents.forget('writes')).toBe('waiting');
    const { taskId } = accepted.verdict === 'accepted' ? accepted : { taskId: '' };
    await store.tasks.cancel(scope, taskId);
    expect(await ops.agents.forget('writes')).toBe('not-archived');
    // Also what has just ended.
    const options = { afterMs: -1_000, everyMs: 1, signal: new AbortController().signal };
    await until(async () => ops.archiver?.run(options).then(() => isCopied(taskId)), { what: 'it is copied, too' });
    expect(await ops.agents.forget('writes')).toBe('forgotten');
  });

  test('nothing is done twice if no time has passed', async () => {
    const { ops, worker, redis, prefix } = await open();
    await worker.stop();
    for (const key of await redis.keys(`${prefix}*outbox:archived*`)) await redis.del(key);
    // Before 1970, so that the time up to which tasks are copied is the same in all runs.
    const options = { afterMs: 2 * Date.now(), everyMs: 1, signal: new AbortController().signal };
    for (let run = 0; run < 3; run += 1)
      expect(await ops.archiver?.run(options)).toMatchObject({ copied: 0, damaged: [] });
  });

  test('a task that is not copied is not dropped for lack of room', async () => {
    const { store, send, archive, redis, prefix, worker } = await open({ maxKeptTasks: 2, retentionMinMs: 1 });
    const first = await send('one');
    await until(async () => (await archive.existing([first])).has(first), { what: 'it is copied' });
    await worker.stop();
    for (const key of await redis.keys(`${prefix}*outbox:archived`))
      await redis.set(key, sortableTime('2020-01-01T00:00:00Z'));
    const message = { messageId: randomUUID(), role: 'ROLE_USER' as const, parts: [{ text: 'two' }] };
    const accept = () => store.tasks.accept(scope, { message: { ...message, messageId: randomUUID() } });
    const verdicts: string[] = [];
    for (let i = 0; i < 6; i += 1) verdicts.push((await accept()).verdict);
    expect(verdicts).toContain('too-many-kept');
    for (const key of await redis.keys(`${prefix}*outbox:archived`))
      await redis.set(key, sortableTime('2050-01-01T00:00:00Z'));
    expect(await store.tasks.read(scope, first)).toBeDefined();
    await until(async () => (await accept()).verdict === 'accepted', { what: 'the oldest was dropped' });
    expect(await store.tasks.read(scope, first)).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
  });
});
