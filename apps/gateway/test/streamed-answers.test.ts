import type { FeedItem } from '@switchyard/store';
import { describe, expect, it } from 'vitest';
import { messageOrItems } from '../src/operations/message-answer.ts';
import { asksCallerOf } from '../src/operations/send-streaming-message.ts';

const item = (given: Partial<FeedItem>): FeedItem => ({
  kind: 'event',
  seq: 1,
  state: 'TASK_STATE_WORKING',
  answered: 0,
  isPlainMessage: false,
  json: '{}',
  ...given,
});

async function* feed(...items: FeedItem[]): AsyncIterable<FeedItem> {
  yield* items;
}

describe('asksCallerOf', () => {
  const question = item({ state: 'TASK_STATE_INPUT_REQUIRED', answered: 1 });

  it('is true for the question that the message led to', () => {
    expect(asksCallerOf(1, question)).toBe(true);
    expect(asksCallerOf(1, item({ answered: 1 }))).toBe(false);
  });

  it('is false for the question of an earlier message', () => {
    expect(asksCallerOf(2, question)).toBe(false);
  });

  it('is false while an authorization is required', () => {
    expect(asksCallerOf(1, item({ state: 'TASK_STATE_AUTH_REQUIRED', answered: 1 }))).toBe(false);
  });
});

describe('messageOrItems', () => {
  const task = item({ kind: 'task', json: '{"task":{"id":"t"}}' });
  const parts = [{ text: '42' }];
  const status = { state: 'TASK_STATE_COMPLETED', message: { messageId: 'm', role: 'ROLE_AGENT', parts } };
  const json = JSON.stringify({ statusUpdate: { taskId: 't', contextId: 'c', status } });
  const reply = item({ seq: 2, isPlainMessage: true, json });
  const hold = { holdMs: 1_000, withdraw: async () => undefined };

  it('yields only the message when the agent answers with one', async () => {
    const [only, ...others] = await Array.fromAsync(messageOrItems(feed(task, reply), hold));
    expect(others).toEqual([]);
    expect(JSON.parse(String(only?.json))).toEqual({ message: status.message });
  });

  it('yields all items when it does not', async () => {
    const status = item({ seq: 2, json: '{"statusUpdate":{}}' });
    expect(await Array.fromAsync(messageOrItems(feed(task, status, reply), hold))).toEqual([task, status, reply]);
  });

  it('yields at least the task when the feed ends early', async () => {
    expect(await Array.fromAsync(messageOrItems(feed(task), hold))).toEqual([task]);
  });
});
