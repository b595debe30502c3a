import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Credentials } from '@switchyard/access';
import { OperatorClient } from '@switchyard/operator-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OperatorStreams } from '../../src/admin/live.ts';
import { type AdminStage, key, openAdminStage } from './support.ts';

let stage: AdminStage;
let client: OperatorClient;

beforeAll(async () => {
  stage = await openAdminStage();
  client = new OperatorClient({ url: stage.adminUrl, key });
});

afterAll(() => stage[Symbol.asyncDispose]());

const schema = z.object({ agents: z.array(z.object({ id: z.string(), paused: z.boolean() })) });
const isPaused = ({ agents }: z.output<typeof schema>): boolean | undefined =>
  agents.find(({ id }) => id === 'echo')?.paused;

describe('a live answer (text/event-stream)', () => {
  it('is sent at once and after each change, to every reader', async () => {
    const readers = Array.from({ length: 2 }, () => client.watch('/admin/agents', schema));
    const next = async () =>
      Promise.all(readers.map(async (reader) => isPaused((await reader.next()).value ?? { agents: [] })));
    expect(await next()).toEqual([false, false]);
    const changed = next();
    await stage.ask('/admin/agents/echo:pause', 'POST');
    expect(await changed).toEqual([true, true]);
    await stage.ask('/admin/agents/echo:resume', 'POST');
    await Promise.all(readers.map((reader) => reader.return(undefined)));
  });

  it('is not sent again to a reader that names it in Last-Event-ID', async () => {
    const first = await open('/admin/agents');
    const event = await first.next();
    const id = /^id: (\d+)$/m.exec(event)?.[1] ?? '';
    await first.close();
    const again = await open('/admin/agents', { 'last-event-id': id });
    const changed = again.next();
    await stage.ask('/admin/agents/echo:pause', 'POST');
    expect(await changed).toContain('"id":"echo","workers":1,"paused":true');
    await again.close();
    await stage.ask('/admin/agents/echo:resume', 'POST');
  });

  it('is refused with the same status as a plain request', async () => {
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
    expect((await fetch(`${stage.adminUrl}/admin/agents?pageSize=0`, { headers })).status).toBe(400);
    expect((await fetch(`${stage.adminUrl}/admin/agents`, { headers: { accept: headers.accept } })).status).toBe(401);
    const wrong = { ...headers, 'last-event-id': 'x' };
    expect((await fetch(`${stage.adminUrl}/admin/agents`, { headers: wrong })).status).toBe(400);
  });

  it('has at most 100 readers', async () => {
    const open = await Promise.all(Array.from({ length: 101 }, () => ask('/admin/workers')));
    expect(open.filter(({ status }) => status === 503)).toHaveLength(1);
    await Promise.all(open.map(({ body }) => body?.cancel()));
  });

  it('ends when keys are reloaded, so that its reader signs in again', () => {
    const streams = new OperatorStreams();
    const res = new ServerResponse(new IncomingMessage(new Socket()));
    const signal = streams.watch(res, { subject: 'operator', credential: 'key:operator', may: 'all' });
    expect(signal.aborted).toBe(false);
    streams.reload();
    expect(signal.aborted).toBe(true);
    res.emit('close');
  });

  it("ends once its reader's key is revoked", async () => {
    const auth = { keys: [], keyCacheMs: 20 };
    await using other = await openAdminStage({}, { auth });
    const draft = { tenant: 'acme', subject: 'boss', scopes: ['admin'] };
    const { key: theirs, credential } = await new Credentials(other.store.inside).create(draft);
    const headers = { authorization: `Bearer ${theirs}`, accept: 'text/event-stream' };
    const response = await fetch(`${other.adminUrl}/admin/agents`, { headers });
    expect(response.status).toBe(200);
    await new Credentials(other.store.inside).revoke(credential.id);
    expect(await response.text()).toMatch(/^id: /);
  });

  it('ends when the gateway stops', async () => {
    const other = await openAdminStage({}, { drainMs: 60_000 });
    const response = await fetch(`${other.adminUrl}/admin/agents`, { headers: eventHeaders() });
    await other[Symbol.asyncDispose]();
    expect(await response.text()).toMatch(/^id: /);
  });
});

const eventHeaders = (more: object = {}) => ({ authorization: `Bearer ${key}`, accept: 'text/event-stream', ...more });
const ask = (path: string, more?: object) => fetch(stage.adminUrl + path, { headers: eventHeaders(more) });

/** Reads the text of each event, with its id. */
async function open(path: string, more?: object) {
  const { body } = await ask(path, more);
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  return {
    next: async () => (await reader?.read())?.value ?? '',
    close: () => reader?.cancel(),
  };
}
