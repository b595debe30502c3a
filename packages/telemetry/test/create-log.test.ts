import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterAll, expect, it } from 'vitest';
import { createLog, LevelSwitch } from '../src/index.ts';

const lines: Record<string, unknown>[] = [];
const destination = { write: (line: string): void => void lines.push(JSON.parse(line)) };
const log = createLog({ app: 'worker', level: 'warn' }, destination);

afterAll(() => context.disable());

it('a line has the same names of fields in every program, and leaves out fields that may contain a secret', () => {
  log.warn({ event: 'x', taskId: 't', contextId: 'c', requestId: 'r', workerId: 'w', text: 'private' }, 'a line');
  expect(lines.at(-1)).toMatchObject({ app: 'worker', event: 'x', task: 't', context: 'c', request: 'r', worker: 'w' });
  expect(lines.at(-1)).toMatchObject({ leftOut: ['text'], msg: 'a line', pid: process.pid });
});

it('a line has the trace id of the active span', () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const span = trace.wrapSpanContext({ traceId, spanId: 'b7ad6b7169203331', traceFlags: 1 });
  context.with(trace.setSpan(context.active(), span), () => log.warn('inside'));
  log.warn('outside');
  expect(lines.slice(-2).map((line) => line.traceId)).toEqual([traceId, undefined]);
});

it('the level can be changed for a time; an unknown level restores the usual one', async () => {
  const level = new LevelSwitch(log);
  level.set({ level: 'debug', forMs: 60_000 });
  expect([log.level, lines.at(-1)?.logLevel]).toEqual(['debug', 'debug']);
  level.set({ level: 'loud', forMs: 60_000 });
  expect(log.level).toBe('warn');
  level.toggle();
  expect(log.level).toBe('debug');
  level.toggle();
  expect(log.level).toBe('warn');
  const usual = new Promise((resolve) => log.once('level-change', () => log.once('level-change', resolve)));
  level.set({ level: 'trace', forMs: 1 });
  expect(log.level).toBe('trace');
  await usual;
  expect(log.level).toBe('warn');
});

it('an error, its stack and its causes are without the secrets of the program, and without what looks like one', () => {
  const own = createLog({ app: 'worker', level: 'warn', secrets: ['hunter-2-secret'] }, destination);
  const cause = new Error('the key sk-0123456789abcdef is refused');
  own.warn({ err: new Error('hunter-2-secret is refused', { cause }) }, 'failed');
  const { err } = Object(lines.at(-1));
  expect([err.message, err.cause.message]).toEqual(['[left out] is refused', 'the key [left out] is refused']);
  expect(JSON.stringify(err)).not.toMatch(/hunter-2|sk-0123/);
});
