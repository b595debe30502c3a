import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ops } from '@switchyard/operators';
import type { Task } from '@switchyard/protocol';
import { Store } from '@switchyard/store';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type EventStream, openEventStream } from '../../../tests/support/event-stream.ts';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { type Program, startProgram } from '../../../tests/support/process.ts';
import { agents } from './support/agents.ts';
import { post, type Sent, userMessage } from './support/client.ts';

const keyOf = (name: string): string => `the-key-of-${name}-0123`;
const header = (name: string) => ({ 'x-api-key': keyOf(name) });
const lines = (...names: string[]): string => names.map((name) => `${keyOf(name)}:${name}\n`).join('');

let folder: string;
let gateway: Program;
let store: Store;
let url: string;
let adminUrl: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-reload-'));
  const prefix = uniquePrefix();
  store = new Store({ redisUrl: inject('redisUrl'), prefix }, () => undefined);
  await store.start();
  await store.registry.announce(agents, 'test');
  await writeFile(join(folder, 'keys'), lines('alice', 'bob'));
  await writeFile(join(folder, 'admin'), keyOf('operator'));
  gateway = await startProgram({
    file: 'apps/gateway/src/main.ts',
    env: {
      REDIS_URL: inject('redisUrl'),
      KEY_PREFIX: prefix,
      PORT: '0',
      GRPC_PORT: 'off',
      ADMIN_PORT: '0',
      ADMIN_KEY_FILE: join(folder, 'admin'),
      AUTH: 'api-key',
      API_KEYS_FILE: join(folder, 'keys'),
      DEFAULT_AGENT: 'echo',
    },
  });
  [, adminUrl = '', url = ''] = await gateway.waitFor(/"adminUrl":"([^"]+)","url":"([^"]+)"/);
});

afterAll(async () => {
  await gateway.stop();
  await store.stop();
  await rm(folder, { recursive: true });
});

interface OpenStream {
  readonly taskId: string;
  readonly stream: EventStream;
}

async function streamOf(name: string): Promise<OpenStream> {
  const sent = { message: userMessage('hello'), configuration: { returnImmediately: true } };
  const task: Task = (await post<Sent>(`${url}/message:send`, sent, header(name))).body.task;
  const stream = await openEventStream(`${url}/tasks/${task.id}:subscribe`, { method: 'POST', headers: header(name) });
  return { taskId: task.id, stream };
}

const nextOf = async ({ stream }: OpenStream) => (await stream[Symbol.asyncIterator]().next()).done;
const statusOf = async (name: string) => (await fetch(`${url}/agents`, { headers: header(name) })).status;
const adminStatusOf = async (name: string) =>
  (await fetch(`${adminUrl}/admin/agents`, { headers: header(name) })).status;

it('SIGHUP reloads keys: open streams go on, those of removed keys end, and removed keys are refused', async () => {
  const [alices, bobs] = [await streamOf('alice'), await streamOf('bob')];
  expect([await nextOf(alices), await nextOf(bobs)]).toEqual([false, false]);
  await writeFile(join(folder, 'keys'), lines('alice', 'carol'));
  await writeFile(join(folder, 'admin'), keyOf('another-operator'));
  gateway.kill('SIGHUP');
  await gateway.waitFor(/reloaded/);
  // The error of its end, and the end.
  expect([await nextOf(bobs), await nextOf(bobs)]).toEqual([false, true]);
  expect([await statusOf('alice'), await statusOf('bob'), await statusOf('carol')]).toEqual([200, 401, 200]);
  expect([await adminStatusOf('operator'), await adminStatusOf('another-operator')]).toEqual([401, 200]);
  await new Ops(store).tasks.cancel(alices.taskId);
  expect(await nextOf(alices)).toBe(false);
  alices.stream.cut();
});

it('SIGHUP with invalid settings changes nothing', async () => {
  await writeFile(join(folder, 'keys'), 'short:mallory');
  gateway.kill('SIGHUP');
  await gateway.waitFor(/the previous ones stay/);
  expect([await statusOf('alice'), await statusOf('carol')]).toEqual([200, 200]);
});
