import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SentEventParser } from '../../../tests/support/sent-events.ts';
import { call, type ErrorBody, submit, userMessage } from './support/client.ts';
import { completed } from './support/events.ts';
import { openStage, type Stage } from './support/stage.ts';

// The SDK for Go reads an error of a stream only as an event: it skips the lines of JSON, and reports no error.

let stage: Stage;
let ended: string;

beforeAll(async () => {
  stage = await openStage();
  const { id } = await submit(stage.url);
  await (await stage.beginTurn(id)).publish(completed());
  ended = id;
});

afterAll(() => stage[Symbol.asyncDispose]());

interface Refusal {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
}

async function ask(method: string, params: unknown, accept: string): Promise<Refusal> {
  const response = await fetch(stage.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'seven', method, params }),
  });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

const cases: readonly [what: string, method: string, params: () => object, code: number][] = [
  ['an unknown task', 'SubscribeToTask', () => ({ id: 'nothing' }), -32001],
  ['an ended task', 'SubscribeToTask', () => ({ id: ended }), -32004],
  ['no parts', 'SendStreamingMessage', () => ({ message: { ...userMessage(''), parts: [] } }), -32602],
  ['no known method', 'SendAnything', () => ({}), -32601],
  ['an unknown task in 0.3', 'tasks/resubscribe', () => ({ id: 'nothing' }), -32001],
  ['an ended task in 0.3', 'tasks/resubscribe', () => ({ id: ended }), -32004],
  ['no parts in 0.3', 'message/stream', () => ({ message: { messageId: 'm', role: 'user', parts: [] } }), -32602],
];

describe.each(cases)('The error of a stream over JSON-RPC, for %s', (_, method, params, code) => {
  it('is an event for a client that accepts only events', async () => {
    const { status, type, text } = await ask(method, params(), 'text/event-stream');
    expect([status, type]).toEqual([200, 'text/event-stream']);
    const [event, ...others] = new SentEventParser().push(Buffer.from(text));
    expect(others).toEqual([]);
    expect(JSON.parse(event?.text ?? '')).toMatchObject({ jsonrpc: '2.0', id: 'seven', error: { code } });
  });

  it.each(['application/json, text/event-stream', '*/*', 'text/event-stream, */*;q=0.1'])(
    'is JSON for Accept: %s',
    async (accept) => {
      const { type, text } = await ask(method, params(), accept);
      if (type === 'text/event-stream') return expect(method).toMatch(/resubscribe|stream/);
      expect(JSON.parse(text)).toMatchObject({ id: 'seven', error: { code } });
    },
  );
});

it('An error with a status of its own is JSON, which clients of streams read by its status', async () => {
  const { type, text } = await ask('SubscribeToTask', { id: 'x'.repeat(9_000_000) }, 'text/event-stream');
  expect(type).toBe('application/json');
  expect(JSON.parse(text)).toMatchObject({ error: {} });
});

it('An error of a call without a stream is JSON', async () => {
  const { body } = await call<ErrorBody>(stage.url, 'GetTask', { id: 'nothing' });
  expect(body.error.code).toBe(-32001);
});
