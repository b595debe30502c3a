import { Conversation } from '@switchyard/agent/testing';
import { expect, it } from 'vitest';
import hello from '../agent.ts';

it('greets by name', async () => {
  const { answer, task } = await new Conversation(hello).say('Ada');
  expect([answer, task.status.state]).toEqual(['Hello, Ada!', 'TASK_STATE_COMPLETED']);
});

it('greets the world when nobody is named', async () => {
  expect((await new Conversation(hello).say({ data: {} })).answer).toBe('Hello, world!');
});
