import { runTurn } from '@switchyard/agent/testing';
import { expect, it } from 'vitest';
import hello from '../agent.ts';

it('greets by name', async () => {
  const { answer, state } = await runTurn(hello, 'Ada');
  expect([answer, state]).toEqual(['Hello, Ada!', 'TASK_STATE_COMPLETED']);
});

it('greets the world without a name', async () => {
  expect((await runTurn(hello, '')).answer).toBe('Hello, world!');
});
