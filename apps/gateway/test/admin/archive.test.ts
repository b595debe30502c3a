import type { AuditEvent } from '@switchyard/access';
import { PostgresArchive } from '@switchyard/archive';
import {
  type ArchiveCheckProgress,
  type ArchiveProblem,
  archiveCheckSchema,
  OperatorClient,
} from '@switchyard/operator-api';
import { Ops } from '@switchyard/operators';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { skippedFor } from '../../../../tests/support/has-program.ts';
import { missingPostgres, startPostgres, type TestPostgres } from '../../../../tests/support/postgres.ts';
import { uniquePrefix } from '../../../../tests/support/prefix.ts';
import { until } from '../../../../tests/support/until.ts';
import { agents } from '../support/agents.ts';
import { type ErrorBody, submit } from '../support/client.ts';
import { type AdminStage, begin, fieldsOf, key, openAdminStage } from './support.ts';

describe.skipIf(skippedFor(missingPostgres))('the archive, for operators', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  let stage: AdminStage;
  let archive: PostgresArchive;
  let redis: Redis;
  let prefix = '';
  beforeEach(async () => {
    prefix = uniquePrefix();
    archive = new PostgresArchive({ url: postgres.url, schema: prefix, onError: () => undefined, timeoutMs: 2_000 });
    stage = await openAdminStage({ shards: 2, prefix }, { archive });
    redis = new Redis(inject('redisUrl'));
    return async () => {
      await stage[Symbol.asyncDispose]();
      await archive.stop();
      redis.disconnect();
    };
  });

  const signal = new AbortController().signal;
  /** As a worker does, of tasks that ended before this call. */
  const copy = () => new Ops(stage.store).archiver?.run({ afterMs: 1, everyMs: 1, signal });

  async function ended(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let i = 0; i < count; i += 1) {
      const { id } = await submit(stage.url);
      const turn = await begin(stage.store, id);
      await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
      ids.push(id);
    }
    return ids;
  }

  async function copied(count: number): Promise<string[]> {
    const ids = await ended(count);
    const areThere = async () => {
      await copy();
      return (await archive.existing(ids)).size === count;
    };
    await until(areThere, { what: 'they are copied' });
    return ids;
  }

  async function run(sql: string): Promise<void> {
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  }

  function check(isRepair: boolean, query: object = {}, abort?: AbortSignal): AsyncGenerator<ArchiveCheckProgress> {
    const client = new OperatorClient({ url: stage.adminUrl, key });
    const call = isRepair
      ? ({ method: 'POST', body: query } as const)
      : ({ query: query as Record<string, string> } as const);
    return client.events(`/admin/archive:${isRepair ? 'repair' : 'verify'}`, archiveCheckSchema, {
      ...call,
      ...(abort && { signal: abort }),
    });
  }

  async function problems(isRepair: boolean, query?: object): Promise<Record<string, Omit<ArchiveProblem, 'taskId'>>> {
    const events = await Array.fromAsync(check(isRepair, query));
    expect(events.at(-1)?.isDone).toBe(true);
    return Object.fromEntries(events.flatMap((one) => one.problems).map(({ taskId, ...problem }) => [taskId, problem]));
  }

  it('a check finds nothing where all is copied, and does not look at what is not to be copied yet', async () => {
    const ids = await copied(45);
    await ended(2);
    const { id } = await submit(stage.url);
    await begin(stage.store, id);
    const events = await Array.fromAsync(check(false));
    expect(events[0]).toMatchObject({ total: ids.length, done: 0, isDone: false });
    expect(events.at(-1)).toMatchObject({ total: ids.length, done: ids.length, isDone: true });
    expect(events.flatMap((one) => one.problems)).toEqual([]);
  });

  it('finds what is missing, different, unreadable, deleted or damaged, and repairs what can be repaired', async () => {
    const [sound = '', missing = '', old = '', unreadable = '', deleted = '', damaged = ''] = await copied(6);
    await run(`DELETE FROM "${prefix}".tasks WHERE id = '${missing}'`);
    await run(`UPDATE "${prefix}".tasks SET tail = ',"metadata":{}}' WHERE id = '${old}'`);
    await run(`UPDATE "${prefix}".tasks SET row_json = '' WHERE id = '${unreadable}'`);
    await archive.delete(deleted);
    const [record = ''] = await redis.keys(`${prefix}{s*}:t:${damaged}`);
    await redis.hdel(record, 'status');
    const found = await problems(false);
    expect(found).toEqual({
      [missing]: { problem: 'missing' },
      [old]: { problem: 'different' },
      [unreadable]: { problem: 'unreadable' },
      [deleted]: { problem: 'deleted' },
      [damaged]: { problem: 'damaged' },
    });
    // A check alone changes nothing.
    expect(await problems(false)).toEqual(found);
    const repaired = await problems(true);
    expect(Object.values(repaired).filter(({ isRepaired }) => isRepaired)).toHaveLength(4);
    expect(repaired[damaged]).toEqual({ problem: 'damaged', isRepaired: false });
    expect(await problems(false)).toEqual({ [damaged]: { problem: 'damaged' } });
    expect(await archive.existing([sound, missing, old, unreadable])).toHaveProperty('size', 4);
    expect((await stage.ask(`/admin/tasks/${deleted}`)).status).toBe(404);
    const trail = async (): Promise<(string | undefined)[]> => {
      const { body } = await stage.ask<{ events: AuditEvent[] }>('/admin/audit?what=admin');
      return body.events.map(({ operation }) => operation);
    };
    await expect.poll(trail).toEqual(['POST /admin/archive:repair']);
  });

  it('a check of a sample looks at about so many tasks, and one that broke off goes on where it was', async () => {
    const ids = await copied(90);
    await run(`DELETE FROM "${prefix}".tasks`);
    const some = Object.keys(await problems(false, { sample: 30 }));
    expect(some.length).toBeGreaterThan(5);
    expect(some.length).toBeLessThan(60);

    const seen: string[] = [];
    let nextPageToken = '';
    for await (const progress of check(false, { sample: 0 })) {
      seen.push(...progress.problems.map(({ taskId }) => taskId));
      nextPageToken = progress.nextPageToken;
      if (progress.done > 30) break;
    }
    // An agent that comes or goes changes no place.
    await stage.store.registry.announce(
      agents.map((agent) => ({ ...agent, id: `a-${agent.id}` })),
      'another',
    );
    const rest = Object.keys(await problems(false, { sample: 0, pageToken: nextPageToken }));
    expect([...seen, ...rest].sort()).toEqual(ids.sort());
    const wrong = await stage.ask<ErrorBody>(`/admin/archive:verify?sample=1&pageToken=${nextPageToken}`);
    expect([wrong.status, fieldsOf(wrong)]).toEqual([400, ['pageToken']]);
  });

  it('while PostgreSQL is away a check gets 503, and so does one that runs, with the reason in the log', async () => {
    await copied(60);
    const running = check(false);
    await running.next();
    postgres.freeze();
    try {
      await expect(Array.fromAsync(running)).rejects.toMatchObject({ status: 503 });
      expect(stage.log.join('')).toContain('The archive');
      const answer = await stage.ask('/admin/archive');
      expect(answer.status).toBe(503);
      expect(JSON.stringify(answer.body)).toContain('The archive of ended tasks is unavailable');
    } finally {
      postgres.thaw();
    }
    await expect.poll(() => problems(false).catch(() => 'away')).toEqual({});
  });

  it('all is copied again, or what has ended since a time: also while a worker copies', async () => {
    const old = await copied(3);
    const since = new Date().toISOString();
    const young = await copied(3);
    await run(`DELETE FROM "${prefix}".tasks`);
    await copy();
    expect(await archive.existing([...old, ...young])).toEqual(new Set());
    expect((await stage.ask(`/admin/archive:recopy?since=${since}`, 'POST')).status).toBe(204);
    await until(async () => (await copy()) && (await archive.existing(young)).size === 3, { what: 'copied again' });
    expect(await archive.existing(old)).toEqual(new Set());

    // A worker that has read what it copies next does not write that it has copied all.
    const ops = new Ops(stage.store);
    const put = archive.put.bind(archive);
    onTestFinished(() => void Object.assign(archive, { put }));
    let isSetBack = false;
    await ended(1);
    Object.assign(archive, {
      put: async (...tasks: Parameters<typeof put>) => {
        if (!isSetBack) await stage.ask('/admin/archive:recopy', 'POST');
        isSetBack = true;
        await put(...tasks);
      },
    });
    const isCopied = async () => {
      await ops.archiver?.run({ afterMs: 1, everyMs: 1, signal });
      return isSetBack && (await archive.existing(old)).size === 3;
    };
    await until(isCopied, { what: 'all are copied again' });
    expect(await problems(false)).toEqual({});
    expect((await stage.ask('/admin/archive:forget', 'POST')).status).toBe(409);
  });
});

it('without an archive there is none to check, and what is left of an earlier one can be forgotten', async () => {
  await using stage = await openAdminStage();
  for (const [path, verb] of [
    ['verify', 'GET'],
    ['repair', 'POST'],
    ['recopy', 'POST'],
    ['recount', 'POST'],
  ] as const)
    expect((await stage.ask(`/admin/archive:${path}`, verb)).status).toBe(404);
  const redis = new Redis(inject('redisUrl'));
  const { archived = '' } = stage.store.inside.shards.all[0] ?? {};
  await redis.set(archived, '');
  expect((await stage.ask('/admin/archive:forget', 'POST')).status).toBe(204);
  expect(await redis.exists(archived)).toBe(0);
  redis.disconnect();
});
