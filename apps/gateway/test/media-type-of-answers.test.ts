import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get } from './support/client.ts';
import { openStage, type Stage } from './support/stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage[Symbol.asyncDispose]());

const [ours, plain] = ['application/a2a+json', 'application/json'];

describe('The media type of an answer over HTTP+JSON', () => {
  it.each([
    [undefined, ours],
    ['*/*', ours],
    ['application/*', ours],
    ['application/a2a+json', ours],
    ['application/a2a+json, application/json;q=0.9', ours],
    ['application/json', plain],
    ['application/json, */*;q=0.8', plain],
    // Clients that request a stream read its error, too.
    ['text/event-stream', plain],
  ])('for Accept: %s is %s, of results and of errors', async (accept, type) => {
    // fetch sends */* unless a header is set.
    const headers = { ...(accept !== undefined && { accept }) };
    for (const path of ['/tasks', '/tasks/nothing']) {
      const answer = await get(stage.url + path, headers);
      expect(answer.headers.get('content-type')).toBe(type);
    }
  });
});
