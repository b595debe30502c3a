import type { AuditEvent } from '@switchyard/access';
import { OperatorClient, tenantExportSchema } from '@switchyard/operator-api';
import { Ops } from '@switchyard/operators';
import type { Task } from '@switchyard/protocol';
import type { Scope } from '@switchyard/store';
import { describe, expect, it } from 'vitest';
import { skippedFor } from '../../../../tests/support/has-program.ts';
import { missingPostgres } from '../../../../tests/support/postgres.ts';
import { accepted, userMessage } from '../../../../tests/support/store/drive.ts';
import { until } from '../../../../tests/support/until.ts';
import type { ErrorBody } from '../support/client.ts';
import { neverAborted, useArchiveStage } from './archive-stage.ts';
import { fieldsOf, key, openAdminStage } from './support.ts';

interface Line {
  readonly tenant: string;
  readonly subject: string;
  readonly agent: string;
  readonly endedAt?: string;
  readonly task: Task;
}

const scopeOf = (tenant: string, subject: string): Scope => ({
  principal: { tenant, subject, scopes: [] },
  agent: 'echo',
});
const ada = scopeOf('acme/ü', 'ada');
const bob = scopeOf('acme/ü', 'bob');
const other = scopeOf('acme', 'ada');

describe.skipIf(skippedFor(missingPostgres))('an export of a tenant', () => {
  const stage = useArchiveStage();
  const open = (scope: Scope) => stage().open(scope);
  const ended = async (scope: Scope, text?: string): Promise<string> => {
    const id = await stage().open(scope, text);
    await stage().end(id, 'Tab\t and 12345678901234567890');
    return id;
  };

  /** Redis has no more than the entries in its indexes, as shortly after the retention. */
  async function forget(...ids: string[]): Promise<void> {
    for (const id of ids) await stage().redis.del(...(await stage().redis.keys(`${stage().prefix}{s*}:t:${id}*`)));
  }

  const events = (query: Record<string, string> = {}, id = 'acme/ü') =>
    new OperatorClient({ url: stage().admin.adminUrl, key }).events(
      `/admin/tenants/${encodeURIComponent(id)}/export`,
      tenantExportSchema,
      { query },
    );

  async function exported(query?: Record<string, string>, id?: string): Promise<Line[]> {
    const all = await Array.fromAsync(events(query, id));
    expect(all.at(-1)).toMatchObject({ isDone: true, lines: [] });
    const lines = all.flatMap((one) => one.lines);
    expect(all.at(-1)?.done).toBe(lines.length);
    for (const line of lines) expect(line).not.toMatch(/[\n\t]/);
    return lines.map((line) => JSON.parse(line));
  }
  const idsIn = (lines: readonly Line[]) => lines.map(({ task }) => task.id).sort();

  it('has each task once, from Redis and from the archive, as its client reads it, and of nobody else', async () => {
    const old = [await ended(ada), await ended(bob), await ended(other)];
    await stage().copied(...old);
    const before = await stage().admin.store.tasks.read(ada, old[0] ?? '');
    await forget(...old);
    const inBoth = await ended(ada);
    await stage().copied(inBoth);
    const mine = [await ended(ada), await open(ada), ...old.slice(0, 2), inBoth, await open(bob)];
    await ended(other);
    const lines = await exported();
    expect(idsIn(lines)).toEqual([...mine].sort());
    const first = lines.find(({ task }) => task.id === old[0]);
    expect(first).toMatchObject({ tenant: 'acme/ü', subject: 'ada', agent: 'echo', endedAt: expect.any(String) });
    expect(first?.task).toEqual(JSON.parse(before?.task?.toString() ?? ''));
    for (const { task, endedAt } of lines)
      expect(endedAt === undefined).toBe(task.status.state !== 'TASK_STATE_COMPLETED');
    const ofBob = await exported({ subject: 'bob' });
    expect(idsIn(ofBob)).toEqual([old[1], mine.at(-1)].sort());
    expect(await exported({}, 'nobody')).toEqual([]);
  });

  it('has the tasks of a time, wherever they are', async () => {
    const first = await ended(ada);
    const endedAt = Date.now();
    await until(() => Date.now() > endedAt + 1, { what: 'time has passed' });
    const since = new Date().toISOString();
    await until(() => Date.now() > Date.parse(since) + 1, { what: 'time has passed' });
    const second = await ended(ada);
    await stage().copied(first, second);
    await forget(first);
    const third = await ended(ada);
    expect(idsIn(await exported({ since }))).toEqual([second, third].sort());
    expect(idsIn(await exported({ until: since }))).toEqual([first]);
    expect(await exported({ since: '2050-01-01T00:00:00Z' })).toEqual([]);
    expect(fieldsOf(await stage().admin.ask<ErrorBody>('/admin/tenants/acme/export?since=monday'))).toEqual(['since']);
  });

  it('goes on where it broke off, in Redis or in the archive', async () => {
    const old = await Promise.all(Array.from({ length: 30 }, () => ended(ada)));
    await stage().copied(...old);
    await forget(...old);
    const young = await Promise.all(Array.from({ length: 30 }, () => ended(bob)));
    const waiting = await Promise.all(Array.from({ length: 50 }, () => open(bob)));
    const idsOf = (lines: readonly string[]) => lines.map((line) => (JSON.parse(line) as Line).task.id);

    for (const breakAt of [25, 70, 100]) {
      const parts: string[] = [];
      let token = '';
      for await (const { lines, done, nextPageToken } of events()) {
        parts.push(...idsOf(lines));
        token = nextPageToken;
        if (done >= breakAt) break;
      }
      const rest = await Array.fromAsync(events({ pageToken: token }));
      parts.push(...rest.flatMap(({ lines }) => idsOf(lines)));
      expect(parts.sort(), String(breakAt)).toEqual([...old, ...young, ...waiting].sort());
      expect(rest.at(-1)?.done).toBe(parts.length);
      expect(fieldsOf(await stage().admin.ask<ErrorBody>(`/admin/tenants/other/export?pageToken=${token}`))).toEqual([
        'pageToken',
      ]);
    }
  });

  it('has a task once that ends while it runs, whether it was read before or not', async () => {
    const waiting = await Promise.all(Array.from({ length: 45 }, () => open(bob)));
    const running = new Ops(stage().admin.store).tenantExport.run({ tenant: 'acme/ü' }, neverAborted);
    const seen: string[] = [];
    let isFirst = true;
    for await (const { lines } of running) {
      seen.push(...lines.map((line) => (JSON.parse(line) as Line).task.id));
      if (lines.length === 0 || !isFirst) continue;
      isFirst = false;
      const late = waiting.find((id) => !seen.includes(id)) ?? '';
      for (const id of [seen[0] ?? '', late]) await stage().end(id);
      await stage().copied(seen[0] ?? '', late);
    }
    expect(seen.sort()).toEqual(waiting.sort());
  });

  it('has tasks that could not be copied', async () => {
    const [first, refused, last] = [await ended(ada), await ended(ada), await ended(bob)];
    await stage().archive.start();
    await stage().sql(`ALTER TABLE "${stage().prefix}".tasks ADD CHECK (id <> '${refused}')`);
    await stage().copied(first, last);
    await until(
      async () => (await new Ops(stage().admin.store).archiver?.status())?.leftOut.includes(refused) === true,
      {
        what: 'it is left out',
      },
    );
    expect(idsIn(await exported())).toEqual([first, refused, last].sort());
  });

  it('has tasks that Redis has dropped for lack of room, also while all are copied again', async () => {
    const ids = [await ended(ada), await ended(ada), await ended(bob)];
    await stage().copied(...ids);
    await forget(...ids.slice(1));
    await new Ops(stage().admin.store).archiver?.recopy();
    expect(idsIn(await exported())).toEqual([...ids].sort());
  });

  it('reads a page when it is asked for one, however much the tenant has', async () => {
    const large = 'x'.repeat(1024 ** 2);
    const old = await Promise.all(Array.from({ length: 12 }, () => ended(ada, large)));
    await stage().copied(...old);
    await forget(...old);
    const young = await Promise.all(Array.from({ length: 12 }, () => ended(bob, large)));
    const running = new Ops(stage().admin.store).tenantExport.run({ tenant: 'acme/ü' }, neverAborted);
    const seen: string[] = [];
    for await (const { lines } of running) {
      // As a page of a list: 8 MiB, and the task with which it has as many.
      expect(lines.join('').length).toBeLessThan(10 * 1024 ** 2);
      if (lines.length > 0 && seen.length === 0) {
        const ids = lines.map((line) => (JSON.parse(line) as Line).task.id);
        for (const id of young.filter((each) => !ids.includes(each))) await stage().admin.store.tasks.delete(bob, id);
        await stage().admin.store.tasks.delete(ada, old[11] ?? '');
      }
      seen.push(...lines.map((line) => (JSON.parse(line) as Line).task.id));
    }
    expect(seen.filter((id) => old.includes(id))).toHaveLength(11);
    expect(seen.filter((id) => young.includes(id)).length).toBeLessThan(12);
  });

  it('is in the audit trail, because it has texts', async () => {
    await exported({ subject: 'ada' });
    const trail = async () => {
      const { body } = await stage().admin.ask<{ events: AuditEvent[] }>('/admin/audit?what=admin');
      return body.events;
    };
    await expect
      .poll(trail)
      .toMatchObject([{ operation: 'GET /admin/tenants/:id/export', object: 'acme/ü', outcome: 'ok' }]);
  });
});

it('without an archive, an export has what Redis has', async () => {
  await using stage = await openAdminStage();
  const { taskId } = await accepted(stage.store, ada, userMessage('hello'));
  const all = await Array.fromAsync(
    new OperatorClient({ url: stage.adminUrl, key }).events(
      `/admin/tenants/${encodeURIComponent('acme/ü')}/export`,
      tenantExportSchema,
    ),
  );
  expect(all.flatMap(({ lines }) => lines.map((line) => JSON.parse(line).task.id))).toEqual([taskId]);
});
