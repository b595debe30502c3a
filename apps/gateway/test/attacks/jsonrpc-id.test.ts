import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, type ErrorBody, post } from '../support/client.ts';
import { openStage, type Stage } from '../support/stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage[Symbol.asyncDispose]());

/** @param id JSON text */
const ask = (id: string, method = 'ListTasks') =>
  post<ErrorBody & { id: unknown }>(stage.url, `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{}}`);

describe('A JSON-RPC id', () => {
  it.each([
    ['text of 64 kB', JSON.stringify('x'.repeat(64_000))],
    ['5 MB of digits', '1'.repeat(5_000_000)],
    ['a fraction of 300 digits', `0.${'1'.repeat(300)}`],
    ['text that is too long once it is escaped', JSON.stringify('"'.repeat(200))],
    ['more than 256 characters', JSON.stringify('x'.repeat(255))],
  ])('is refused if it is %s', async (_, id) => {
    for (const method of ['ListTasks', 'SendStreamingMessage', 'tasks/get']) {
      const { status, body } = await ask(id, method);
      expect([status, body.id, body.error.code]).toEqual([200, null, -32600]);
      expect(JSON.stringify(body).length).toBeLessThan(1_000);
    }
  });

  it('is returned unchanged up to 256 characters', async () => {
    const text = 'x'.repeat(254);
    expect((await ask(JSON.stringify(text))).body.id).toBe(text);
    const answer = await fetch(stage.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"jsonrpc":"2.0","id":${'7'.repeat(256)},"method":"ListTasks"}`,
    });
    expect(await answer.text()).toContain(`"id":${'7'.repeat(256)},`);
    expect((await call<{ id: unknown }>(stage.url, 'ListTasks', {})).body.id).toBe(1);
  });
});
