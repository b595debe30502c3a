import type { Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { skippedFor } from '../support/has-program.ts';
import { userMessage } from '../support/messages.ts';
import { missingPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { startProgram } from '../support/process.ts';
import { type ErrorBody, get, getTask, post, send, submit } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// On a busy machine processes start slowly.
const RETENTION_MS = 31_000;
const skipped = missingPostgres === undefined ? '' : skippedFor(missingPostgres);

describe.skipIf(skipped)(`programs with an archive${skipped && ` (not tested: ${skipped})`}`, () => {
  let postgres: TestPostgres;
  let stack: Stack;
  let url: string;
  let old: Task;
  const first = userMessage('Remember me');

  beforeAll(async () => {
    postgres = await startPostgres();
    const env = {
      ARCHIVE_URL: postgres.url,
      ARCHIVE_AFTER_MS: '1',
      RETENTION_MS: String(RETENTION_MS),
      PUSH_ALLOW_HTTP: 'on',
    };
    stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['echo'], env });
    [url = ''] = stack.urls;
    old = await send(url, first);
    await until(isForgotten, { what: 'Redis has forgotten it', timeoutMs: 90_000 });
  });
  afterAll(async () => {
    await stack?.stop();
    await postgres?.stop();
  });

  /** Redis forgets it after its retention; the lists of the archive have it then. */
  async function isForgotten(): Promise<boolean> {
    const younger = Date.now() - Date.parse(old.status.timestamp ?? '') > RETENTION_MS + 1_000;
    return younger && (await get<{ totalSize: number }>(`${url}/tasks`)).body.totalSize === 1;
  }

  it('a client notices nothing: it reads, lists and subscribes, and gets the errors of an ended task', async () => {
    expect(await getTask(url, old.id)).toEqual(old);
    const young = await send(url, userMessage('And me'));
    const page = await get<{ tasks: Task[]; totalSize: number; nextPageToken: string }>(`${url}/tasks?pageSize=1`);
    expect(page.body).toMatchObject({ tasks: [{ id: young.id }], totalSize: 2 });
    const second = await get<{ tasks: Task[]; nextPageToken: string }>(
      `${url}/tasks?pageSize=1&pageToken=${page.body.nextPageToken}`,
    );
    expect(second.body).toMatchObject({ tasks: [{ id: old.id }], nextPageToken: '' });
    expect(await send(url, first)).toEqual(old);
    const other = await post<ErrorBody>(`${url}/message:send`, { message: { ...first, parts: [{ text: 'Other' }] } });
    expect(other.status).toBe(409);
    const late = await post<ErrorBody>(`${url}/message:send`, { message: { ...userMessage('More'), taskId: old.id } });
    const canceled = await post<ErrorBody>(`${url}/tasks/${old.id}:cancel`, {});
    const watched = await post<ErrorBody>(`${url}/tasks/${old.id}:subscribe`, {});
    expect([late, canceled, watched].map(({ body }) => body.error.details?.[0])).toMatchObject([
      { reason: 'UNSUPPORTED_OPERATION' },
      { reason: 'TASK_NOT_CANCELABLE' },
      { reason: 'UNSUPPORTED_OPERATION' },
    ]);
  });

  it('while PostgreSQL is away, young tasks go on, requests for old ones get 503, and programs start', async () => {
    postgres.freeze();
    try {
      const young = await send(url, userMessage('Still here'));
      expect((await getTask(url, young.id)).status.state).toBe('TASK_STATE_COMPLETED');
      const answer = await fetch(`${url}/tasks/${old.id}`, { headers: { 'A2A-Version': '1.0' } });
      expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([503, true]);
      const other = await stack.addGateway();
      expect((await getTask(other.url, young.id)).id).toBe(young.id);
      expect(other.output()).toContain('The archive does not answer');
    } finally {
      postgres.thaw();
    }
    await until(async () => (await getTask(url, old.id)).id === old.id, { what: 'it can be read again' });
  });

  it('each task is readable once after its end, although workers and PostgreSQL are killed while they copy', async () => {
    const { totalSize: before } = (await get<{ totalSize: number }>(`${url}/tasks`)).body;
    const sent: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      const tasks = await Promise.all(Array.from({ length: 40 }, (_, i) => submit(url, userMessage(`${round} ${i}`))));
      sent.push(...tasks.map(({ id }) => id));
      const [worker] = stack.workers;
      await stack.addWorker();
      worker?.kill('SIGKILL');
      if (round % 2 === 1) await postgres.restart();
    }
    const lastAt = Date.now();
    const total = before + sent.length;
    const isAllForgotten = async () => {
      const states = await get<{ totalSize: number }>(`${url}/tasks?status=TASK_STATE_COMPLETED`);
      return Date.now() - lastAt > RETENTION_MS + 10_000 && states.body.totalSize === total;
    };
    await until(isAllForgotten, { what: 'Redis has forgotten all of them', timeoutMs: 120_000 });
    const listed: string[] = [];
    for (let pageToken = ''; ; ) {
      const { body } = await get<{ tasks: Task[]; nextPageToken: string; totalSize: number }>(
        `${url}/tasks?pageSize=50&pageToken=${pageToken}`,
      );
      expect(body.totalSize).toBe(total);
      listed.push(...body.tasks.map(({ id }) => id));
      pageToken = body.nextPageToken;
      if (pageToken === '') break;
    }
    expect(listed.length).toBe(total);
    expect(new Set(listed).size).toBe(total);
    expect(sent.filter((id) => !listed.includes(id))).toEqual([]);
    const read = await Promise.all(sent.map((id) => getTask(url, id)));
    expect(read.filter(({ status }) => status.state !== 'TASK_STATE_COMPLETED')).toEqual([]);
  });

  it('a program does not start if PostgreSQL refuses it, and says why', async () => {
    const wrong = new URL(postgres.url);
    wrong.pathname = '/nowhere';
    const env = {
      REDIS_URL: inject('redisUrl'),
      KEY_PREFIX: 'refused',
      ARCHIVE_URL: String(wrong),
      AUTH: 'none',
      PORT: '0',
    };
    for (const [file, args] of [
      ['apps/gateway/src/main.ts', []],
      ['apps/worker/src/main.ts', ['examples/echo/agent.ts']],
    ] as const) {
      const program = await startProgram({ file, args, env });
      expect(await program.exited).toBe(1);
      expect(program.output()).toContain('SWITCHYARD_ERR_ARCHIVE');
      expect(program.output()).toContain('has no database "nowhere"');
    }
  });
});
