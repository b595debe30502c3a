import { scheduleUri, type Task } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { SentEvent } from '../../../tests/support/sent-events.ts';
import { checkScenario, compareSeen } from '../workload/play-scenario.ts';
import type { Watched } from '../workload/resilient-client.ts';
import { createScenario } from '../workload/scenario.ts';
import { repeatedSteps } from '../workload/violations.ts';

const watched = (...events: [id: string, text: string][]): Watched => ({
  problems: [],
  resumed: 0,
  events: new Map(events.map(([id, text]) => [Number.parseInt(id, 10), new SentEvent(id, text)])),
});
const lost = watched(['1', 'submitted'], ['2-a', 'working at 1'], ['3-a', 'chunk'], ['4-b', 'completed at 1']);

test('a turn that runs again after its events were lost may publish the same again', () => {
  const again = watched(['1', 'submitted'], ['2-c', 'working at 2'], ['3-c', 'chunk'], ['4-d', 'completed at 2']);
  expect(compareSeen(lost, again, true)).toEqual([]);
});

test('a current event after a lost one is a violation, and so is an id with two events', () => {
  const again = watched(['1', 'submitted'], ['2-c', 'working at 2'], ['3-a', 'chunk'], ['4-b', 'failed']);
  expect(compareSeen(lost, again, true).map(({ what }) => what)).toEqual([
    'event 2-a was lost: working at 1',
    'event 4-b was completed at 1',
  ]);
});

test('a step that ran again after a later one is a violation, an interrupted step is not', () => {
  const effect = (taskId: string, step: number) => ({ taskId, attempt: '1', beganMs: 0, step });
  const fine = [
    effect('a', Number.NaN),
    effect('a', 1),
    effect('b', 1),
    effect('a', 2),
    effect('a', 2),
    effect('b', 2),
  ];
  expect(repeatedSteps(fine)).toEqual([]);
  expect(repeatedSteps([...fine, effect('a', 1)])).toEqual([{ kind: 'steps', what: 'a: step 1 ran after step 2' }]);
});

test.each([
  ['at its time', ['01', '10'], 0],
  ['twice', ['01', '10', '11'], 1],
  ['before its time', ['01', '09'], 1],
  ['too late', ['01', '41'], 1],
  ['never', ['01'], 1],
])('the violations of a scheduled task that began %s', (_, seconds, violations) => {
  const at = (second: string): string => `2030-01-01T00:00:${second}.000Z`;
  const events = seconds.map((second, i): [string, string] => {
    const status = { state: 'TASK_STATE_SUBMITTED', timestamp: at(second) };
    return [`${i + 1}`, JSON.stringify({ statusUpdate: { taskId: 't', contextId: 'c', status } })];
  });
  const scenario = createScenario('steps', 'a', { size: 1, schedule: { inMs: 1 } });
  const metadata = { [scheduleUri]: { at: at('10') } };
  const task: Task = { id: 't', status: { state: 'TASK_STATE_COMPLETED' }, metadata };
  const found = checkScenario(scenario, task, watched(...events)).filter(({ kind }) => kind === 'schedules');
  expect(found).toHaveLength(violations);
});
