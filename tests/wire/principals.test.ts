import type { Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { userMessage } from '../support/messages.ts';
import { type ErrorBody, get, post } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';

// On a busy machine processes start slowly.
// Every read and write is limited to its principal: other principals' tasks do not exist.

const keys = { ada: 'key-of-ada-0123456789', bob: 'key-of-bob-0123456789' };
const ada = { 'x-api-key': keys.ada };
const bob = { authorization: `Bearer ${keys.bob}` };

let stack: Stack;
let url: string;
let task: Task;

beforeAll(async () => {
  const env = { AUTH: 'api-key', API_KEYS: `${keys.ada}:ada,${keys.bob}:bob` };
  stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['echo'], env });
  [url = ''] = stack.urls;
  const { body } = await post<{ task: Task }>(`${url}/message:send`, { message: userMessage('ask') }, ada);
  task = body.task;
  // From here on the gateway may have the task in its cache.
  await get(`${url}/tasks/${task.id}`, ada);
});

afterAll(() => stack.stop());

const intrusions = [
  ['GetTask', () => get<ErrorBody>(`${url}/tasks/${task.id}`, bob)],
  [
    'GetTask by who claims to know it',
    () => get<ErrorBody>(`${url}/tasks/${task.id}`, { ...bob, 'if-none-match': '"1"' }),
  ],
  ['CancelTask', () => post<ErrorBody>(`${url}/tasks/${task.id}:cancel`, {}, bob)],
  ['SubscribeToTask', () => get<ErrorBody>(`${url}/tasks/${task.id}:subscribe`, bob)],
  [
    'SubscribeToTask behind an event',
    () => get<ErrorBody>(`${url}/tasks/${task.id}:subscribe`, { ...bob, 'last-event-id': '1' }),
  ],
  ['SendMessage', () => post<ErrorBody>(`${url}/message:send`, { message: userMessage('mine', task) }, bob)],
  ['SendStreamingMessage', () => post<ErrorBody>(`${url}/message:stream`, { message: userMessage('mine', task) }, bob)],
] as const;

describe('a task of another principal', () => {
  it.each(intrusions)('does not exist for %s', async (_, intrude) => {
    const { status, body } = await intrude();
    expect(status).toBe(404);
    expect(body.error.details[0]).toMatchObject({ reason: 'TASK_NOT_FOUND' });
  });

  it('is in no list, nor in that of its context', async () => {
    const lists = await Promise.all(
      ['', `?contextId=${task.contextId}`].map((query) => get<{ totalSize: number }>(`${url}/tasks${query}`, bob)),
    );
    expect(lists.map(({ body }) => body.totalSize)).toEqual([0, 0]);
  });

  it('is unchanged for its principal', async () => {
    const { body } = await get<Task>(`${url}/tasks/${task.id}`, ada);
    expect(body).toEqual(task);
  });
});

describe('a caller without a valid key', () => {
  it.each([
    ['no key', {}],
    ['a wrong key', { 'x-api-key': 'key-of-eve-0123456789' }],
  ])('gets 401 with %s', async (_, headers) => {
    const { status, headers: answered } = await get(`${url}/tasks/${task.id}`, headers);
    expect(status).toBe(401);
    expect(answered.get('www-authenticate')).toMatch(/^Bearer/);
  });
});
