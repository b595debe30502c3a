import type { FeedItem } from '@switchyard/store';
import { describe, expect, it } from 'vitest';
import { toStreamItems } from '../src/operations/to-stream-items.ts';
import { untilAnswered } from '../src/operations/until-answered.ts';

const item = (given: Partial<FeedItem>): FeedItem => ({
  kind: 'event',
  seq: 1,
  state: 'TASK_STATE_WORKING',
  released: 0,
  isReply: false,
  json: '{}',
  ...given,
});

async function* feed(...items: FeedItem[]): AsyncIterable<FeedItem> {
  yield* items;
}

const seqs = async (items: AsyncIterable<{ seq: number }>): Promise<number[]> =>
  (await Array.fromAsync(items)).map(({ seq }) => seq);

describe('untilAnswered', () => {
  const question = item({ seq: 2, state: 'TASK_STATE_INPUT_REQUIRED', released: 1 });

  it('ends with the question that the message led to', async () => {
    expect(await seqs(untilAnswered(feed(item({}), question, item({ seq: 3 })), 1))).toEqual([1, 2]);
  });

  it('goes on behind the question of a message before it', async () => {
    expect(await seqs(untilAnswered(feed(item({}), question, item({ seq: 3 })), 2))).toEqual([1, 2, 3]);
  });

  it('goes on while an authorization is awaited', async () => {
    const needed = item({ seq: 2, state: 'TASK_STATE_AUTH_REQUIRED', released: 1 });
    expect(await seqs(untilAnswered(feed(needed, item({ seq: 3 })), 1))).toEqual([2, 3]);
  });
});

describe('toStreamItems', () => {
  const task = item({ kind: 'task', json: '{"id":"t"}' });
  const parts = [{ text: '42' }];
  const status = { state: 'TASK_STATE_COMPLETED', message: { messageId: 'm', role: 'ROLE_AGENT', parts } };
  const reply = item({
    seq: 2,
    isReply: true,
    json: JSON.stringify({ statusUpdate: { taskId: 't', contextId: 'c', status } }),
  });

  it('puts a task into its StreamResponse and leaves events as they are', async () => {
    expect(await Array.fromAsync(toStreamItems(feed(task, item({ seq: 2, json: '{"statusUpdate":{}}' }))))).toEqual([
      { seq: 1, json: '{"task":{"id":"t"}}' },
      { seq: 2, json: '{"statusUpdate":{}}' },
    ]);
  });

  it('gives the message alone when the agent answers with one', async () => {
    const [only, ...others] = await Array.fromAsync(toStreamItems(feed(task, reply), { mayReply: true }));
    expect(others).toEqual([]);
    expect(JSON.parse(only?.json ?? '')).toEqual({ message: status.message });
  });

  it('gives the completed status to whoever was shown the task already', async () => {
    expect(await seqs(toStreamItems(feed(task, reply)))).toEqual([1, 2]);
  });

  it('gives the task at least when the feed is cut before anything happened', async () => {
    expect(await seqs(toStreamItems(feed(task), { mayReply: true }))).toEqual([1]);
  });
});
