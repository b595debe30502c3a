import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStage, type Stage } from '../support/stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({ gateway: { auth: { keys: [] } } });
});

afterAll(() => stage[Symbol.asyncDispose]());

const request = (text: string) => JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ListTasks', params: { text } });

async function answered(body: string | Buffer<ArrayBuffer>, encoding: Record<string, string> = {}): Promise<unknown> {
  const headers = { 'content-type': 'application/json', ...encoding };
  const answer = await fetch(stage.url, { method: 'POST', body, headers });
  expect(answer.status).toBe(401);
  return answer.json();
}

it('A body without a credential is neither decompressed nor, if it is large, parsed', async () => {
  expect(await answered(request('short'))).toMatchObject({ id: 7 });
  const bomb = gzipSync(request('x'.repeat(5_000_000)));
  expect(bomb.length).toBeLessThan(10_000);
  expect(await answered(bomb, { 'content-encoding': 'gzip' })).toMatchObject({ id: null });
  expect(await answered(gzipSync(request('short')), { 'content-encoding': 'gzip' })).toMatchObject({ id: null });
  expect(await answered(request('x'.repeat(100_000)))).toMatchObject({ id: null });
});
