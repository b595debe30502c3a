import { readFileSync } from 'node:fs';
import { createLog } from '@switchyard/telemetry';
import { expect, it } from 'vitest';
import { lines, logTo } from '../src/telemetry/log.ts';

const turn = { agent: 'echo', taskId: 't', contextId: 'c', tenant: 'acme', attempt: 1, durationMs: 12.34 };

function told(...events: Parameters<ReturnType<typeof logTo>>[0][]): Record<string, unknown>[] {
  const written: Record<string, unknown>[] = [];
  const emit = logTo(
    createLog({ app: 'worker', level: 'info' }, { write: (line) => void written.push(JSON.parse(line)) }),
  );
  for (const event of events) emit(event);
  return written;
}

it('has every event in docs/logs.md, with its level', () => {
  const rows = readFileSync('docs/logs.md', 'utf8').split('\n');
  for (const [event, line] of Object.entries(lines)) {
    if (!line) continue;
    expect(
      rows.some((row) => row.includes(`\`${event}\``) && row.includes(` ${line[0]} | worker |`)),
      event,
    ).toBe(true);
  }
});

it('has what an agent logs, with its turn, at its own level and without secrets', () => {
  const line = { text: 'The order is taken', fields: { order: 17, token: 'abc' } };
  const said = (level: 'debug' | 'info' | 'error') =>
    ({ kind: 'agent-log', ...turn, line: { level, ...line } }) as const;
  const [info, error, ...others] = told(said('debug'), said('info'), said('error'));
  expect(info).toMatchObject({ level: 30, event: 'agent-log', msg: 'The order is taken', agent: 'echo', task: 't' });
  expect(info).toMatchObject({ context: 'c', attempt: 1, fields: { order: 17, token: '[left out]' } });
  expect([error?.level, others]).toEqual([50, []]);
});

it('makes a warning of what ended with an error, and leaves the stack of an outage out', () => {
  const end = { kind: 'turn-ended', ...turn, outcome: 'failed' } as const;
  const [fine, failed, outage] = told(
    { ...end, outcome: 'TASK_STATE_COMPLETED' },
    { ...end, err: new TypeError('no') },
    { kind: 'error', where: 'redis', err: new Error('connect ECONNREFUSED 127.0.0.1:6379') },
  );
  expect(fine).toMatchObject({ level: 30, event: 'turn-ended', task: 't', durationMs: 12.3 });
  expect(failed).toMatchObject({ level: 40, err: { type: 'TypeError', stack: expect.any(String) } });
  expect(outage).toMatchObject({ level: 40, err: 'Error: connect ECONNREFUSED 127.0.0.1:6379' });
});
