import { runTurn } from '@switchyard/agent/testing';
import { remoteAgent } from '@switchyard/executor-remote';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Almanac, startAlmanac } from '../almanac/server.ts';

let almanac: Almanac;
beforeAll(async () => {
  almanac = await startAlmanac({ port: 0, lineMs: 1 });
});
afterAll(() => almanac.close());

it("asks the almanac's question, and completes with its artifact", async () => {
  const agent = await remoteAgent({ id: 'almanac', cardUrl: almanac.cardUrl });
  const asked = await runTurn(agent, 'An almanac, please');
  expect([asked.state, asked.answer]).toEqual(['TASK_STATE_INPUT_REQUIRED', 'Of which year?']);
  const done = await asked.say('2027');
  expect([done.task.status.state, done.answer]).toEqual(['TASK_STATE_COMPLETED', 'The almanac of 2027 is done.']);
  const lines = done.task.artifacts?.[0]?.parts[0]?.text?.split('\n');
  expect(lines).toHaveLength(13);
  expect(lines?.[0]).toBe('January 2027 begins on a Friday.');
});
