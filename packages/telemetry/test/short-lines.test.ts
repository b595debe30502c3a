import { expect, test } from 'vitest';
import { shortLine } from '../src/log/short-lines.ts';

const line = {
  level: 30,
  time: Date.parse('2026-01-31T12:00:00Z'),
  worker: 'host-1',
  event: 'agent-log',
  agent: 'packer',
  task: 'a-task',
  context: 'a-context',
  tenant: 'default',
  attempt: 1,
  request: 'r-1',
  fields: { place: 'Oslo', days: 3 },
  msg: 'packed',
};
const shown = (changes: object) =>
  shortLine(JSON.stringify({ ...line, ...changes }), '/work')?.replace(/^\[\S+\] /, '');

test('what an agent logs is its text, its fields and the task', () => {
  expect(shortLine(JSON.stringify(line), '/')).toMatch(
    /^\[\d\d:\d\d:\d\d\] packer: packed \{"place":"Oslo","days":3\} /,
  );
  expect(shown({})).toBe('packer: packed {"place":"Oslo","days":3} (task a-task)');
  expect(shown({ level: 40, fields: {}, attempt: 2 })).toBe('packer: warning: packed (task a-task, attempt 2)');
});

test('what an agent does to its worker is one line without the rest of the log line', () => {
  const msg = 'the agent "packer" called process.exit(0) at agent.ts:17: the worker ends';
  const ended = { event: 'worker-ended-by-agent', level: 50, fields: undefined, at: 'agent.ts:17:39', msg };
  expect(shown(ended)).toBe(`${msg} (task a-task)`);
  const died = { event: 'worker-died', level: 40, code: '70', msg: 'the worker died: it will be started again' };
  expect(shown({ ...died, task: undefined, fields: undefined })).toBe(
    'the worker died: it will be started again (code 70)',
  );
});

test('a changed module is named from the folder', () => {
  const changed = { event: 'module-changed', path: '/work/agents/packer.ts', msg: 'a module has changed' };
  expect(shown({ ...changed, task: undefined, fields: undefined })).toBe('a module has changed (agents/packer.ts)');
});

test('other lines are left as they are', () => {
  expect(shown({ event: 'started' })).toBeUndefined();
  expect(shortLine('{broken', '/')).toBeUndefined();
});
