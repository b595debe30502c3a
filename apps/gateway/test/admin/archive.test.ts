import type { AuditEvent } from '@switchyard/access';
import {
  type ArchiveCheckProgress,
  type ArchiveProblem,
  archiveCheckSchema,
  OperatorClient,
} from '@switchyard/operator-api';
import { Redis } from 'ioredis';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { skippedFor } from '../../../../tests/support/has-program.ts';
import { missingPostgres } from '../../../../tests/support/postgres.ts';
import { until } from '../../../../tests/support/until.ts';
import { agents } from '../support/agents.ts';
import { type ErrorBody, submit } from '../support/client.ts';
import { useArchiveStage } from './archive-stage.ts';
import { begin, fieldsOf, key, openAdminStage } from './support.ts';

describe.skipIf(skippedFor(missingPostgres))('the archive, for operators', () => {
  const stage = useArchiveStage();

  const ended = (count: number): Promise<string[]> =>
    Array.fromAsync({ length: count }, async () => {
      const { id } = await submit(stage().admin.url);
      await stage().end(id);
      return id;
    });

  async function copied(count: number): Promise<string[]> {
    const ids = await ended(count);
    await stage().copied(...ids);
    return ids;
  }

  function check(isRepair: boolean, query: object = {}, abort?: AbortSignal): AsyncGenerator<ArchiveCheckProgress> {
    const client = new OperatorClient({ url: stage().admin.adminUrl, key });
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
    const { id } = await submit(stage().admin.url);
    await begin(stage().admin.store, id);
    const events = await Array.fromAsync(check(false));
    expect(events[0]).toMatchObject({ total: ids.length, done: 0, isDone: false });
    expect(events.at(-1)).toMatchObject({ total: ids.length, done: ids.length, isDone: true });
    expect(events.flatMap((one) => one.problems)).toEqual([]);
  });

  it('finds what is missing, different, unreadable, deleted or damaged, and repairs what can be repaired', async () => {
    const [sound = '', missing = '', old = '', unreadable = '', deleted = '', damaged = ''] = await copied(6);
    await stage().sql(`DELETE FROM "${stage().prefix}".tasks WHERE id = '${missing}'`);
    await stage().sql(`UPDATE "${stage().prefix}".tasks SET tail = ',"metadata":{}}' WHERE id = '${old}'`);
    await stage().sql(`UPDATE "${stage().prefix}".tasks SET row_json = '' WHERE id = '${unreadable}'`);
    await stage().archive.delete(deleted);
    const [record = ''] = await stage().redis.keys(`${stage().prefix}{s*}:t:${damaged}`);
    await stage().redis.hset(record, 'artifacts', '1');
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
    expect(await stage().archive.existing([sound, missing, old, unreadable])).toHaveProperty('size', 4);
    expect((await stage().admin.ask(`/admin/tasks/${deleted}`)).status).toBe(404);
    const trail = async (): Promise<(string | undefined)[]> => {
      const { body } = await stage().admin.ask<{ events: AuditEvent[] }>('/admin/audit?what=admin');
      return body.events.map(({ operation }) => operation);
    };
    await expect.poll(trail).toEqual(['POST /admin/archive:repair']);
  });

  it('a check of a sample looks at about so many tasks, and one that broke off goes on where it was', async () => {
    const ids = await copied(90);
    await stage().sql(`DELETE FROM "${stage().prefix}".tasks`);
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
    await stage().admin.store.registry.announce(
      agents.map((agent) => ({ ...agent, id: `a-${agent.id}` })),
      'another',
    );
    const rest = Object.keys(await problems(false, { sample: 0, pageToken: nextPageToken }));
    expect([...seen, ...rest].sort()).toEqual(ids.sort());
    const wrong = await stage().admin.ask<ErrorBody>(`/admin/archive:verify?sample=1&pageToken=${nextPageToken}`);
    expect([wrong.status, fieldsOf(wrong)]).toEqual([400, ['pageToken']]);
  });

  it('while PostgreSQL is away a check gets 503, and so does one that runs, with the reason in the log', async () => {
    await copied(60);
    const running = check(false);
    await running.next();
    stage().postgres.freeze();
    try {
      await expect(Array.fromAsync(running)).rejects.toMatchObject({ status: 503 });
      expect(stage().admin.log.join('')).toContain('The archive');
      const paths = ['/admin/archive', '/admin/tasks/00000000-0000-4000-8000-000000000000'];
      const [answer, missing] = await Promise.all(paths.map((path) => stage().admin.ask(path)));
      expect(answer?.status).toBe(503);
      expect(JSON.stringify(answer?.body)).toContain('The archive does not answer at 127.0.0.1:');
      expect(JSON.stringify(missing?.body)).toContain('The archive does not answer at');
    } finally {
      stage().postgres.thaw();
    }
    await expect.poll(() => problems(false).catch(() => 'away')).toEqual({});
  });

  it('searches for words wait for each other, and say so when that takes too long', async () => {
    await copied(1);
    const other = await stage().connect();
    onTestFinished(() => other.end());
    await other.query(`BEGIN; LOCK TABLE "${stage().prefix}".tasks`);
    const search = () => stage().admin.ask<ErrorBody>('/admin/tasks?text=hello');
    const answers = await Promise.all(Array.from({ length: 3 }, search));
    const [busy] = answers.filter(({ status }) => status === 503);
    expect(answers.map(({ status }) => status).sort()).toEqual([400, 400, 503]);
    expect(busy?.headers.get('retry-after')).toBe('5');
    expect(busy?.body.error).toMatchObject({
      message: 'Searches for words wait for each other at this gateway: try again in some seconds',
      details: expect.arrayContaining([expect.objectContaining({ metadata: { limit: 'text-searches' } })]),
    });
  });

  it('all is copied again, or what has ended since a time: also while a worker copies', async () => {
    const old = await copied(3);
    const since = new Date().toISOString();
    const young = await copied(3);
    await stage().sql(`DELETE FROM "${stage().prefix}".tasks`);
    await stage().copy();
    expect(await stage().archive.existing([...old, ...young])).toEqual(new Set());
    expect((await stage().admin.ask(`/admin/archive:recopy?since=${since}`, 'POST')).status).toBe(204);
    await until(async () => (await stage().copy()) && (await stage().archive.existing(young)).size === 3, {
      what: 'copied again',
    });
    expect(await stage().archive.existing(old)).toEqual(new Set());

    // A worker that has read what it copies next does not write that it has copied all.
    const { archive } = stage();
    const put = archive.put.bind(archive);
    onTestFinished(() => void Object.assign(archive, { put }));
    let isSetBack = false;
    await ended(1);
    Object.assign(archive, {
      put: async (...tasks: Parameters<typeof put>) => {
        if (!isSetBack) await stage().admin.ask('/admin/archive:recopy', 'POST');
        isSetBack = true;
        await put(...tasks);
      },
    });
    const isCopied = async () => {
      await stage().copy();
      return isSetBack && (await stage().archive.existing(old)).size === 3;
    };
    await until(isCopied, { what: 'all are copied again' });
    expect(await problems(false)).toEqual({});
    expect((await stage().admin.ask('/admin/archive:forget', 'POST')).status).toBe(409);
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
