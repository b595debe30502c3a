import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTurn } from '@switchyard/agent/testing';
import agent from './agent.ts';

test('greets by name', async () => {
  const { state, answer } = await runTurn(agent, 'Ada');
  assert.deepEqual([state, answer], ['TASK_STATE_COMPLETED', 'Hello, Ada!']);
});

test('asks for the name, and continues with the answer', async () => {
  const asked = await runTurn(agent, '');
  assert.equal(asked.state, 'TASK_STATE_INPUT_REQUIRED');
  assert.equal((await asked.say('Ada')).answer, 'Hello, Ada!');
});
