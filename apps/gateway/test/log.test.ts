import { readFileSync } from 'node:fs';
import { A2AError } from '@switchyard/protocol';
import { createLog } from '@switchyard/telemetry';
import { describe, expect, it } from 'vitest';
import { lines, logEvents } from '../src/telemetry/emit.ts';
import { failureOf } from '../src/telemetry/failures.ts';

function linesOf(
  level: 'debug' | 'info',
  write: (log: ReturnType<typeof createLog>) => void,
): Record<string, unknown>[] {
  const lines: string[] = [];
  write(createLog({ app: 'gateway', level }, { write: (line) => void lines.push(line) }));
  return lines.map((line) => JSON.parse(line));
}

const request = { requestId: 'r-1', method: 'POST', path: '/message:send' };

describe('the log', () => {
  it('has internal errors with their cause, and client errors only at level debug', () => {
    const write = (log: ReturnType<typeof createLog>): void => {
      const emit = logEvents(log);
      emit({
        kind: 'failed',
        code: 'Internal',
        err: new Error('Internal error', { cause: new Error('the reason') }),
        ...request,
      });
      emit({ kind: 'refused', code: 'InvalidParams', err: new Error('wrong'), ...request });
    };
    const [line, ...others] = linesOf('info', write);
    expect(others).toEqual([]);
    expect(line).toMatchObject({ level: 50, event: 'failed', request: 'r-1', code: 'Internal', msg: 'failed' });
    expect(JSON.stringify(line)).toContain('the reason');
    expect(linesOf('debug', write)).toHaveLength(2);
  });

  it('has no stack of what the gateway cannot do for now: its text says it all', () => {
    const write = (error: A2AError) => (log: ReturnType<typeof createLog>) =>
      logEvents(log)({ ...failureOf(error), ...request });
    const [early] = linesOf('info', write(new A2AError('Unavailable', 'No worker has announced the agent yet')));
    expect(early?.err).toEqual({ type: 'A2AError', message: expect.stringMatching(/^No worker/), code: 'Unavailable' });
    const [outage] = linesOf('info', write(new A2AError('Unavailable', 'No store', { cause: new Error('refused') })));
    expect(outage?.err).toMatchObject({ stack: expect.any(String) });
  });

  it('contains no secrets', () => {
    const [line] = linesOf('info', (log) => {
      log.info({
        headers: { authorization: 'Bearer hunter2', 'x-api-key': 'hunter2' },
        push: { config: { token: 'hunter2' } },
      });
    });
    expect(JSON.stringify(line)).not.toContain('hunter2');
  });

  it('is described in docs/logs.md: every event, with its level', () => {
    const rows = readFileSync('docs/logs.md', 'utf8').split('\n');
    for (const [event, [level]] of Object.entries(lines))
      expect(
        rows.some((row) => row.includes(`\`${event}\``) && row.includes(` ${level} | gateway |`)),
        event,
      ).toBe(true);
  });
});
