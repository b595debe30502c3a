import { expect, test } from 'vitest';
import { failureLines } from '../src/log/failure-lines.ts';

const here = import.meta.filename;
const stack = (message: string) => `TypeError: ${message}
    at bake (${here}:9:3)
    at async file:///srv/node_modules/@switchyard/agent/dist/run/execute-turn.js:52:5
    at node:internal/process/task_queues:105:5`;
const line = {
  level: 40,
  time: Date.parse('2026-01-31T12:00:00Z'),
  event: 'turn-ended',
  agent: 'pizza',
  task: 'a-task',
  attempt: 2,
  msg: 'turn ended',
  err: {
    type: 'TypeError',
    message: 'no dough',
    stack: stack('no dough'),
    cause: { type: 'Error', message: 'connect refused', code: 'ECONNREFUSED' },
  },
};

test("a failed turn is its task, the author's line with its source, the message and the causes", () => {
  expect(failureLines(JSON.stringify(line), import.meta.dirname)?.split('\n')).toEqual([
    expect.stringMatching(/^\[\d\d:\d\d:\d\d\] pizza: the turn failed \(task a-task, attempt 2\)$/),
    '  failure-lines.test.ts:9:3  const line = {',
    '  TypeError: no dough',
    '  caused by connect refused (ECONNREFUSED)',
  ]);
});

test('a turn that runs again says when', () => {
  const again = { ...line, event: 'turn-given-back', retryInMs: 2_500 };
  expect(failureLines(JSON.stringify(again), '/')).toMatch(/the turn failed; again in 2\.5 s \(task/);
});

test('a turn that was lost or given up is one short line', () => {
  const lost = { ...line, event: 'turn-taken-over', takenOverFrom: 'host-1', msg: 'turn taken over', err: undefined };
  expect(failureLines(JSON.stringify(lost), '/')).toMatch(
    /^\[\S+\] pizza: turn taken over \(task a-task, attempt 2, from worker host-1\)$/,
  );
});

test('a thrown value that is no Error is its text', () => {
  expect(failureLines(JSON.stringify({ ...line, err: 'out of dough' }), '/')?.split('\n')).toEqual([
    expect.stringMatching(/^\[\d\d:\d\d:\d\d\] pizza: the turn failed \(task a-task, attempt 2\)$/),
    '  out of dough',
  ]);
});

test('an error that nothing waited for has the text of its line, and the place', () => {
  const msg = 'an agent threw where nothing could catch it; its turn had its outcome already';
  const stray = { ...line, event: 'uncaught-exception', attempt: undefined, msg };
  expect(failureLines(JSON.stringify(stray), import.meta.dirname)).toMatch(
    /^\[\S+\] pizza: an agent threw .* had its outcome already \(task a-task\)\n {2}failure-lines\.test\.ts:9:3 /,
  );
});

test('other lines are left as they are', () => {
  expect(failureLines(JSON.stringify({ ...line, event: 'started' }), '/')).toBeUndefined();
  expect(failureLines('{broken', '/')).toBeUndefined();
});
