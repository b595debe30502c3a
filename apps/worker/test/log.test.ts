import { readFileSync } from 'node:fs';
import { createLog } from '@switchyard/telemetry';
import { describe, expect, it } from 'vitest';
import { lines, logTo } from '../src/telemetry/log.ts';

const ids = { agent: 'echo', taskId: 't', contextId: 'c', tenant: 'acme', attempt: 1, requestId: 'r' };
const turn = { ...ids, durationMs: 12.34 };

/** The log lines of the events. */
function logged(...events: Parameters<ReturnType<typeof logTo>>[0][]): Record<string, unknown>[] {
  const written: Record<string, unknown>[] = [];
  const emit = logTo(
    createLog({ app: 'worker', level: 'info' }, { write: (line) => void written.push(JSON.parse(line)) }),
  );
  for (const event of events) emit(event);
  return written;
}

it('docs/logs.md lists every log event of the worker with its level', () => {
  const rows = readFileSync('docs/logs.md', 'utf8').split('\n');
  for (const [event, line] of Object.entries(lines)) {
    if (!line) continue;
    expect(
      rows.some((row) => row.includes(`\`${event}\``) && row.includes(` ${line[0]} | worker |`)),
      event,
    ).toBe(true);
  }
});

describe('a line that an agent logs', () => {
  const line = { text: 'The order is taken', fields: { order: 17, token: 'abc' } };
  const agentLog = (level: 'debug' | 'info' | 'error') =>
    ({ kind: 'agent-log', ...ids, line: { level, ...line } }) as const;

  it('carries the ids of its turn and request and the level it was logged with; secrets are left out', () => {
    const [info, error, ...others] = logged(agentLog('debug'), agentLog('info'), agentLog('error'));
    expect(info).toMatchObject({ level: 30, event: 'agent-log', msg: 'The order is taken', agent: 'echo', task: 't' });
    expect(info).toMatchObject({ context: 'c', attempt: 1, request: 'r', fields: { order: 17, token: '[left out]' } });
    expect([error?.level, others]).toEqual([50, []]);
  });

  it('is written if its level reaches the level for agents or that of the whole log', () => {
    const written: number[] = [];
    const log = createLog(
      { app: 'worker', level: 'warn' },
      { write: (text) => void written.push(JSON.parse(text).level) },
    );
    const emit = logTo(log, { level: 'info' });
    for (const level of ['debug', 'info', 'error'] as const) emit(agentLog(level));
    emit({ kind: 'stopped' });
    expect(written).toEqual([30, 50]);
    log.level = 'debug';
    emit(agentLog('debug'));
    expect(written).toEqual([30, 50, 20]);
  });
});

it('a line about a scheduled task has the fields that docs/logs.md describes', () => {
  const task = { agent: 'echo', taskId: 't' };
  const [begun, refused] = logged(
    { kind: 'scheduled-task-begun', ...task, lateMs: 7 },
    { kind: 'scheduled-task-refused', ...task, why: 'overloaded', willRetry: true },
  );
  expect(begun).toMatchObject({ task: 't', lateMs: 7 });
  expect(refused).toMatchObject({ why: 'overloaded', willRetry: true });
});

it('a turn that ended with an error is logged as a warning with its stack, an outage of Redis without a stack', () => {
  const end = { kind: 'turn-ended', ...turn, outcome: 'failed' } as const;
  const [completed, failed, outage] = logged(
    { ...end, outcome: 'TASK_STATE_COMPLETED' },
    { ...end, err: new TypeError('no') },
    { kind: 'error', where: 'redis', err: new Error('connect ECONNREFUSED 127.0.0.1:6379') },
  );
  expect(completed).toMatchObject({ level: 30, event: 'turn-ended', task: 't', durationMs: 12.3 });
  expect(failed).toMatchObject({ level: 40, err: { type: 'TypeError', stack: expect.any(String) } });
  expect(outage).toMatchObject({ level: 40, err: 'Error: connect ECONNREFUSED 127.0.0.1:6379' });
});
