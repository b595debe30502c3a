import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { filesAt } from '@switchyard/files';
import { OperatorClient, startedTaskSchema } from '@switchyard/operator-api';
import type { Part } from '@switchyard/protocol';
import { principalKey, type Scope } from '@switchyard/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type AdminStage, begin, key, openAdminStage } from './support.ts';

const principalOf = (subject: string) => ({ tenant: 'acme', subject, scopes: [] });
const limits = { maxFileBytes: 1_000, maxBytesPerPrincipal: 2_000 };
let folder: string;
let stage: AdminStage;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-task-files-'));
  stage = await openAdminStage({}, { files: { url: pathToFileURL(folder).href, ...limits } });
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function taskOf(scope: Scope, parts: Part[] = [{ text: 'go' }]): Promise<string> {
  const message = { messageId: randomUUID(), role: 'ROLE_USER' as const, parts };
  const acceptance = await stage.store.tasks.accept(scope, { message });
  if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
  return acceptance.taskId;
}

test('an operator reads a file of a task, and none of another principal', async () => {
  const files = filesAt(pathToFileURL(folder).href, limits);
  const content = (async function* () {
    yield Buffer.from('A long film');
  })();
  const facts = { filename: 'film.mp4', mediaType: 'video/mp4' };
  const { id } = await files.write(principalKey(principalOf('alice')), content, { facts });
  const [hers, his] = await Promise.all(
    ['alice', 'bob'].map((subject) => taskOf({ principal: principalOf(subject), agent: 'echo' })),
  );
  const read = (path: string, headers: Record<string, string> = {}) =>
    fetch(stage.adminUrl + path, { headers: { authorization: `Bearer ${key}`, ...headers } });
  const whole = await read(`/admin/tasks/${hers}/files/${id}`);
  expect([whole.status, whole.headers.get('content-type'), await whole.text()]).toEqual([
    200,
    'video/mp4',
    'A long film',
  ]);
  expect(whole.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''film.mp4");
  const range = await read(`/admin/tasks/${hers}/files/${id}`, { range: 'bytes=2-5' });
  expect([range.status, await range.text()]).toEqual([206, 'long']);
  for (const path of [`${his}/files/${id}`, `${randomUUID()}/files/${id}`, `${hers}/files/other`])
    expect((await read(`/admin/tasks/${path}`)).status).toBe(404);
  expect((await fetch(`${stage.adminUrl}/admin/tasks/${hers}/files/${id}`)).status).toBe(401);
});

test("a task that an operator runs again keeps its message's files, and so does one that an operator answers", async () => {
  const files = filesAt(pathToFileURL(folder).href, limits);
  const scope = { principal: principalOf('carol'), agent: 'echo' };
  const owner = principalKey(scope.principal);
  const written = await Promise.all(
    ['report', 'answer'].map((text) =>
      files.write(owner, Readable.from([Buffer.from(text)]), { facts: { mediaType: 'text/plain' } }),
    ),
  );
  const [report = '', given = ''] = written.map(({ id }) => id);
  const ended = await taskOf(scope, [{ url: `http://gateway/files/${report}` }]);
  const turn = await begin(stage.store, ended);
  await turn.publish({ kind: 'status', state: 'TASK_STATE_FAILED', settles: true });
  const asking = await taskOf(scope);
  const asked = await begin(stage.store, asking);
  await asked.publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true });

  const client = new OperatorClient({ url: stage.adminUrl, key });
  const again = { method: 'POST', body: { messageId: randomUUID() } } as const;
  const { taskId } = await client.call(`/admin/tasks/${ended}:rerun`, startedTaskSchema, again);
  expect(await client.call(`/admin/tasks/${ended}:rerun`, startedTaskSchema, again)).toEqual({ taskId });
  const body = { messageId: randomUUID(), parts: [{ url: `http://gateway/files/${given}` }] };
  await client.call(`/admin/tasks/${asking}:answer`, z.unknown(), { method: 'POST', body });

  await stage.store.tasks.delete(scope, ended);
  const sweep = { deployment: 'test', number: 0, unusedMs: 0, markMs: 0 };
  const existing = async (ids: readonly string[]) => new Set(ids.filter((id) => id === taskId || id === asking));
  await files.sweep({ ...sweep, existing });
  expect([await files.open(owner, report), await files.open(owner, given)]).not.toContain(undefined);
  await files.sweep({ ...sweep, existing: async () => new Set() });
  expect([await files.open(owner, report), await files.open(owner, given)]).toEqual([undefined, undefined]);
});
