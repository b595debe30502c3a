import { randomUUID } from 'node:crypto';
import { suspendedUri, type Task, waitingUri } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultRateSettings } from '../src/settings/limit-settings.ts';
import { type ErrorBody, get, post, type Sent, userMessage } from './support/client.ts';
import { openStage, type Stage } from './support/stage.ts';

// Events for tasks, from outside: docs/events.md.

const keyOf = (name: string) => ({ 'x-api-key': `key-of-${name}-0123456789` });
const keys = [
  { subject: 'alice', scopes: [] },
  { subject: 'bob', scopes: [] },
  { subject: 'teller', scopes: ['events'] },
  { subject: 'reader', scopes: ['read', 'send', 'cancel', 'push'] },
].map((one) => ({ ...one, tenant: 'acme', key: keyOf(one.subject)['x-api-key'] }));
const alice = keyOf('alice');

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ gateway: { auth: { keys } } });
});
afterAll(() => stage[Symbol.asyncDispose]());

const amountSchema = {
  type: 'object',
  properties: { amount: { type: 'number' }, by: { type: 'string' } },
  required: ['amount'],
};

const until = new Date(Date.now() + 3_600_000).toISOString();

/** A task whose turn is suspended until a payment or an approval comes. */
async function waiting(paymentSchema?: object): Promise<{ readonly id: string; readonly token: string }> {
  const { id } = await submit();
  const turn = await stage.beginTurn(id);
  const token = await stage.store.waits.callback(turn, 'callback payment 1', 'payment');
  for (const event of ['payment', 'approval'])
    await stage.store.waits.begin(turn, { key: `event ${event} 1`, event, delayMs: 3_600_000 });
  const waits = [{ event: 'payment', until }, { event: 'approval' }];
  const events = [{ name: 'payment', schema: paymentSchema && JSON.stringify(paymentSchema) }, { name: 'approval' }];
  await turn.suspend({ dueMs: Date.parse(until), events, waits });
  return { id, token };
}

async function submit(): Promise<Task> {
  const sent = { message: userMessage('hello'), configuration: { returnImmediately: true } };
  return (await post<Sent>(`${stage.url}/message:send`, sent, alice)).body.task;
}

const give = (id: string, event: string, data: unknown, headers: Record<string, string> = alice) =>
  post<ErrorBody>(`${stage.url}/tasks/${id}/events/${event}`, JSON.stringify(data), headers);

async function taken(id: string): Promise<unknown> {
  const turn = await stage.beginTurn(id, 2);
  const wait = await stage.store.waits.begin(turn, { key: 'event payment 1', event: 'payment' });
  return wait.verdict === 'done' ? JSON.parse(wait.result) : wait;
}

describe('An event for a task', () => {
  it('is given by its caller, and what the task waits for is in its metadata until then', async () => {
    const { id } = await waiting();
    const { body: task } = await get<Task>(`${stage.url}/tasks/${id}`, alice);
    expect(task.status.state).toBe('TASK_STATE_WORKING');
    expect(task.metadata).toEqual({ [suspendedUri]: [{ event: 'payment', until }, { event: 'approval' }] });
    const asking = { ...alice, 'a2a-extensions': waitingUri };
    const explained = await get<Task>(`${stage.url}/tasks/${id}`, asking);
    const text = `The agent waits for the event "payment" until ${until}, or for the event "approval".`;
    expect(explained.body.metadata?.[waitingUri]).toMatchObject({ reason: 'suspended', text });
    expect(await give(id, 'payment', { amount: 5 })).toMatchObject({
      status: 200,
      body: { event: 'payment', state: 'taken' },
    });
    expect((await get<Task>(`${stage.url}/tasks/${id}`, alice)).body).not.toHaveProperty('metadata');
    expect(await taken(id)).toEqual({ data: { amount: 5 } });
  });

  it('is taken once under its Idempotency-Key, and is kept if it comes before the wait', async () => {
    const { id } = await submit();
    const keyed = { ...alice, 'idempotency-key': '"evt-1"' };
    expect(await give(id, 'payment', 1, keyed)).toMatchObject({ status: 200, body: { state: 'kept' } });
    expect(await give(id, 'payment', 2, keyed)).toMatchObject({ status: 200, body: { state: 'known-before' } });
  });

  it('needs the scope `events`, and the caller of the task', async () => {
    const { id } = await waiting();
    expect(await give(id, 'payment', {}, keyOf('reader'))).toMatchObject({ status: 403 });
    expect(await give(id, 'payment', {}, keyOf('teller'))).toMatchObject({ status: 404 });
    expect(await give(id, 'payment', {}, keyOf('bob'))).toMatchObject({ status: 404 });
    expect(await give(id, 'payment', {}, {})).toMatchObject({ status: 401 });
  });

  it('is refused with the wrong fields, and the task goes on to wait', async () => {
    const { id } = await waiting(amountSchema);
    const wrong = await give(id, 'payment', { amount: 'five', by: 7 });
    expect(wrong.status).toBe(400);
    expect(wrong.body.error.message).toMatch(/data\.amount .*; data\.by /);
    expect(JSON.stringify(wrong.body.error)).toContain('"field":"data.amount"');
    expect(await give(id, 'payment', { amount: 5 })).toMatchObject({ status: 200, body: { state: 'taken' } });
  });

  it('of a caller who gives too many is refused, by a rate of its own', async () => {
    const ofKind = { ...defaultRateSettings.ofKind, events: { count: 2, seconds: 3_600 } };
    const url = await stage.another({ auth: { keys }, rates: { ...defaultRateSettings, ofKind } });
    const { id } = await submit();
    const statuses = [];
    for (const n of [1, 2, 3]) statuses.push((await post(`${url}/tasks/${id}/events/tick`, `${n}`, alice)).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await get(`${url}/tasks/${id}`, alice)).status).toBe(200);
  });

  it('is refused with the names that are awaited, or because no turn can take it', async () => {
    const { id } = await waiting();
    const unknown = await give(id, 'paymnet', {});
    expect(unknown.status).toBe(409);
    expect(unknown.body.error.message).toBe(
      'The task does not wait for an event "paymnet": it waits for approval, payment',
    );
    expect(await give(id, 'a/b', {})).toMatchObject({ status: 404 });
    expect(await give(id, 'a%20b', {})).toMatchObject({ status: 400 });
    expect(await give(id, 'payment', 'x'.repeat(300_000))).toMatchObject({ status: 413 });
    await post(`${stage.url}/tasks/${id}:cancel`, {}, alice);
    expect((await give(id, 'payment', {})).body.error.message).toBe('The task has ended');
  });
});

describe('A callback', () => {
  const call = (id: string, token: string, body: string, type = 'application/json', url = stage.url) =>
    fetch(`${url}/callbacks/${id}/${token}`, { method: 'POST', body, headers: { 'content-type': type } });

  it('gives its event without a credential, as JSON or text, once', async () => {
    const { id, token } = await waiting();
    const first = await call(id, token, '{"amount":7}');
    expect([first.status, await first.json()]).toEqual([200, { state: 'taken' }]);
    const again = await call(id, token, '{"amount":7}');
    expect(await again.json()).toEqual({ state: 'known-before' });
    expect(await taken(id)).toEqual({ data: { amount: 7 } });
    const text = await waiting();
    await call(text.id, text.token, 'paid=1', 'application/x-www-form-urlencoded');
    expect(await taken(text.id)).toEqual({ data: 'paid=1' });
  });

  it('is refused with the wrong fields, and goes on to wait', async () => {
    const { id, token } = await waiting(amountSchema);
    const wrong = await call(id, token, '{"by":1}');
    const { error }: ErrorBody = JSON.parse(await wrong.text());
    expect([wrong.status, error.message]).toEqual([400, expect.stringContaining('data.amount')]);
    expect((await call(id, token, '{"amount":7}')).status).toBe(200);
  });

  it('has a rate of its own, whatever others are called', async () => {
    const perCallback = { count: 2, seconds: 3_600 };
    const url = await stage.another({ rates: { ...defaultRateSettings, perCallback } });
    const [one, other] = [await waiting(), await waiting()];
    const flood = ['{"amount":1}', '{"amount":1}', '{"amount":3}'];
    const statuses = [];
    for (const body of flood) statuses.push((await call(one.id, one.token, body, undefined, url)).status);
    expect(statuses).toEqual([200, 200, 429]);
    const refused = await call(one.id, one.token, '{}', undefined, url);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1_000);
    expect((await call(other.id, other.token, '{"amount":1}', undefined, url)).status).toBe(200);
  });

  it('is not found with a wrong token, or after its turn', async () => {
    const { id, token } = await waiting();
    expect((await call(id, `${token}x`, '{}')).status).toBe(404);
    expect((await call(randomUUID(), token, '{}')).status).toBe(404);
    expect((await call(id, token, '{')).status).toBe(400);
    await post(`${stage.url}/tasks/${id}:cancel`, {}, alice);
    const over = await call(id, token, '{}');
    const { error }: ErrorBody = JSON.parse(await over.text());
    expect([over.status, error.message]).toEqual([404, 'No agent waits for this callback, or not any more']);
  });
});
