import { execFile, spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ops } from '@switchyard/operators';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingPostgres } from '../../../../tests/support/postgres.ts';
import { neverAborted, useArchiveStage } from './archive-stage.ts';
import { key } from './support.ts';

const scope = { principal: { tenant: 'acme', subject: 'ada', scopes: [] }, agent: 'echo' };
const folderOfPrograms = globSync('/usr/lib/postgresql/*/bin').sort().at(-1) ?? '';
const program = (name: string): string => join(folderOfPrograms, name);
const hasDump = spawnSync(program('pg_dump'), ['--version']).status === 0;
/** Of `PEXPIRETIME`. */
const GONE = -2;
// The npm package of PostgreSQL has no pg_dump: skipped in CI, too, where that is used.
const skipped = missingPostgres ?? (hasDump ? '' : 'no pg_dump');

/** The drill of docs/archive.md: a restore of PostgreSQL, of Redis, or of both. */
describe.skipIf(skipped)(`the archive after a restore${skipped && ` (not tested: ${skipped})`}`, () => {
  const stage = useArchiveStage();
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchyard-restore-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function ended(): Promise<string> {
    const taskId = await stage().ended(scope);
    await stage().copied(taskId);
    return taskId;
  }

  /** All keys with their values and times. @returns what puts them back, and removes all others, in one step */
  async function backUpRedis(): Promise<() => Promise<void>> {
    const keys = await stage().redis.keys(`${stage().prefix}*`);
    // A key that expired before its time was read would be put back for ever.
    const copies = await Promise.all(
      keys.map(async (key) => ({
        key,
        at: await stage().redis.pexpiretime(key),
        value: await stage().redis.dumpBuffer(key),
      })),
    );
    const there = copies.filter(({ at, value }) => at !== GONE && value !== null);
    return async () => {
      const step = stage()
        .redis.multi()
        .del(...(await stage().redis.keys(`${stage().prefix}*`)));
      for (const { key, value, at } of there)
        step.call('RESTORE', key, Math.max(at, 0), value ?? '', 'ABSTTL', 'REPLACE');
      for (const [error] of (await step.exec()) ?? []) if (error) throw error;
    };
  }

  /** @returns what takes everything away with SQL, and puts the copy back */
  async function backUpPostgres(): Promise<(sql?: string, options?: readonly string[]) => Promise<void>> {
    const file = join(folder, `${Date.now()}.dump`);
    const schema = `--schema="${stage().prefix}"`;
    await promisify(execFile)(program('pg_dump'), ['--format=custom', schema, '--file', file, stage().postgres.url]);
    return async (sql = `DROP SCHEMA "${stage().prefix}" CASCADE`, options = []) => {
      await stage().sql(sql);
      await promisify(execFile)(program('pg_restore'), ['--dbname', stage().postgres.url, ...options, file]);
    };
  }

  function recounting(): Promise<Response> {
    return fetch(`${stage().admin.adminUrl}/admin/archive:recount`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
    });
  }

  async function problems(isRepair = false): Promise<string[]> {
    const check = new Ops(stage().admin.store).archiveCheck?.run({ sample: 0, isRepair }, neverAborted) ?? [];
    return (await Array.fromAsync(check)).flatMap((one) => one.problems.map(({ problem }) => problem));
  }

  /** Each is read and listed once, with its exact total. */
  async function expectTasks(...ids: string[]): Promise<void> {
    for (const id of ids) expect((await stage().admin.store.tasks.read(scope, id))?.state).toBe('TASK_STATE_COMPLETED');
    const { tasks, totalSize } = await stage().admin.store.tasks.list(scope, { pageSize: 100 });
    expect(tasks.map((json) => JSON.parse(json).id).sort()).toEqual([...ids].sort());
    expect(totalSize).toBe(ids.length);
    expect(await stage().archive.existing(ids)).toHaveProperty('size', ids.length);
  }

  it('of PostgreSQL: what Redis has is copied again, and deletions since the backup are undone there', async () => {
    const [kept, deleted] = [await ended(), await ended()];
    const restore = await backUpPostgres();
    await stage().admin.store.tasks.delete(scope, deleted);
    const late = await ended();
    await restore();
    expect(await problems()).toEqual(['missing']);
    await stage().admin.ask('/admin/archive:recopy', 'POST');
    await stage().copied(kept, late);
    expect(await problems()).toEqual([]);
    await expectTasks(kept, late);
    // Redis forgot it with its deletion: the archive has it again, as docs/archive.md says.
    expect(await stage().archive.existing([deleted])).toHaveProperty('size', 1);
    expect((await stage().admin.store.tasks.read(scope, deleted))?.state).toBe('TASK_STATE_COMPLETED');
  });

  it('of the data of PostgreSQL only: tasks are counted again', async () => {
    const ids = [await ended(), await ended()];
    const restore = await backUpPostgres();
    const empty = `TRUNCATE "${stage().prefix}".tasks; TRUNCATE "${stage().prefix}".counts`;
    await restore(empty, ['--data-only', '--table=tasks', '--table=counts']);
    expect((await stage().archive.status()).tasks).toBe(2 * ids.length);
    expect(await (await recounting()).text()).toContain('{"isDone":true}');
    expect((await stage().archive.status()).tasks).toBe(ids.length);
    await expectTasks(...ids);
  });

  it('a count that takes long says that it goes on, and does so without its reader', async () => {
    await ended();
    const client = await stage().connect();
    await client.query(`UPDATE "${stage().prefix}".counts SET tasks = 7`);
    await client.query(`BEGIN; LOCK TABLE "${stage().prefix}".counts IN SHARE UPDATE EXCLUSIVE MODE`);
    const reader = (await recounting()).body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('{"isDone":false}');
    await reader?.cancel();
    const second = await recounting();
    await client.query('COMMIT').finally(() => client.end());
    expect(await second.text()).toContain('{"isDone":true}');
    expect((await stage().archive.status()).tasks).toBe(1);
  });

  it('of Redis: deletions since the backup are repeated by the marks, and later tasks are in the archive', async () => {
    const [kept, deleted] = [await ended(), await ended()];
    const restore = await backUpRedis();
    await stage().admin.store.tasks.delete(scope, deleted);
    const late = await ended();
    await restore();
    expect(await problems()).toEqual(['deleted']);
    expect(await problems(true)).toEqual(['deleted']);
    expect(await problems()).toEqual([]);
    await expectTasks(kept);
    expect(await stage().admin.store.tasks.read(scope, deleted)).toBeUndefined();
    expect((await stage().admin.store.tasks.read(scope, late))?.state).toBe('TASK_STATE_COMPLETED');
  });

  it('of both: all is as it was, and new tasks are copied', async () => {
    const [kept, deleted] = [await ended(), await ended()];
    const [restoreRedis, restorePostgres] = [await backUpRedis(), await backUpPostgres()];
    await stage().admin.store.tasks.delete(scope, deleted);
    await ended();
    await restoreRedis();
    await restorePostgres();
    const young = await ended();
    expect(await problems()).toEqual([]);
    await expectTasks(kept, deleted, young);
  });
});
