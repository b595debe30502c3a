import type { Timeline, TimelineEntry } from '@switchyard/operator-api';
import { expect, test } from 'vitest';
import { TimeAxis } from '../../src/pages/task/timeline/time-axis.ts';
import { rowsOf } from '../../src/pages/task/timeline/timeline-rows.ts';

const at = (ms: number): string => new Date(ms).toISOString();
const timelineOf = (...entries: TimelineEntry[]): Timeline => ({
  entries,
  earlierAttempts: 0,
  isPartial: false,
  subscribers: [],
  listeningProcesses: 1,
  deliveries: [],
});
const attempt = { kind: 'attempt', attempt: 1, worker: 'w', waitedMs: 5, isTakenOver: false } as const;

test('the steps and calls of an attempt are shown below it, with their outcomes', () => {
  const timeline = timelineOf(
    { kind: 'accepted', at: at(0), number: 1, from: 'alice' },
    { kind: 'queued', at: at(0), untilAt: at(5) },
    { ...attempt, at: at(5), epoch: 1, untilAt: at(50), end: 'taken-over' },
    { kind: 'step', at: at(10), epoch: 1, name: 'plan', untilAt: at(20), isRemembered: false },
    { kind: 'fenced', at: at(70), epoch: 1 },
    { ...attempt, at: at(60), epoch: 2, attempt: 2, isTakenOver: true, end: 'open', leaseMs: 2_000 },
    { kind: 'step', at: at(61), epoch: 2, name: 'plan', isRemembered: true },
    { kind: 'call', at: at(65), epoch: 2, taskId: 'called', agent: 'kitchen', isDetached: false },
  );
  const rows = rowsOf(timeline, 100);
  expect(rows.map(({ kind, depth, label, colour }) => [kind, depth, label, colour])).toEqual([
    ['moments', 0, 'Messages and states', 'gray'],
    ['queued', 0, 'In the queue', 'gray'],
    ['attempt', 0, 'Attempt 1', 'red'],
    ['step', 1, 'plan', 'green'],
    ['attempt', 0, 'Attempt 2', 'blue'],
    ['step', 1, 'plan', 'violet'],
    ['call', 1, 'kitchen', 'gray'],
  ]);
  const [, , first, , second] = rows;
  expect(first).toMatchObject({ from: 5, until: 50, isOpen: false, marks: [{ at: 70, colour: 'red' }] });
  expect(second).toMatchObject({ from: 60, until: 100, isOpen: true });
  expect(second).toMatchObject({ about: 'w', detail: 'took over' });
});

test('a call that failed is red and says why; one that was refused leads to no task', () => {
  const failure = { kind: 'call-failed', message: 'it took too long', at: at(9), epoch: 1, of: 'call' } as const;
  const call = { kind: 'call', at: at(6), epoch: 1, agent: 'kitchen', failure } as const;
  const rows = rowsOf(timelineOf({ ...call, taskId: 'called', state: 'TASK_STATE_CANCELED' }, call), 9);
  expect(rows).toMatchObject([
    { colour: 'red', detail: 'failed: it took too long', taskId: 'called' },
    { colour: 'red', detail: 'failed: it took too long' },
  ]);
  expect(rows[1]).not.toHaveProperty('taskId');
});

test('waits are stretches of the task, from their beginning to their end, and given events are moments', () => {
  const rows = rowsOf(
    timelineOf(
      { kind: 'wait', at: at(1), epoch: 1, what: 'time', name: '', untilAt: at(5) },
      { kind: 'wait', at: at(6), epoch: 2, what: 'event', name: 'payment' },
      { kind: 'wait', at: at(7), epoch: 2, what: 'step', name: 'price', untilAt: at(8) },
      { kind: 'event', at: at(9), epoch: 2, name: 'payment' },
    ),
    20,
  );
  expect(rows).toMatchObject([
    { kind: 'wait', depth: 0, label: 'Sleeps', from: 1, until: 5, isOpen: false, detail: 'ended' },
    { kind: 'wait', label: 'Waits for payment', from: 6, until: 20, isOpen: true, colour: 'amber' },
    { kind: 'wait', label: 'Waits to try price again', from: 7, until: 8 },
    { kind: 'event', label: 'Event payment', from: 9, marks: [{ at: 9, text: 'The event payment was given' }] },
  ]);
});

test('steps and calls without a stored attempt are shown alone', () => {
  const rows = rowsOf(timelineOf({ kind: 'step', at: at(1), epoch: 1, name: 'old', isRemembered: false }), 9);
  expect(rows).toMatchObject([{ kind: 'step', label: 'old', until: 9, isOpen: true }]);
});

test('an axis places moments in proportion to time', () => {
  const axis = new TimeAxis([100, 200, 300]);
  expect([50, 100, 150, 300, 400].map((moment) => axis.place(moment))).toEqual([0, 0, 25, 100, 100]);
  expect(axis.stretch(200, 300)).toEqual({ left: 50, width: 50 });
  expect(axis.gaps).toEqual([]);
});

test('a long pause is shortened, so that the events around it stay distinct', () => {
  const day = 86_400_000;
  const axis = new TimeAxis([0, 1_000, 1_000 + day, 2_000 + day]);
  expect(axis.place(1_000)).toBeCloseTo(47);
  expect(axis.place(1_000 + day)).toBeCloseTo(53);
  expect(axis.gaps).toMatchObject([{ ms: day }]);
  expect(axis.gaps[0]?.at).toBeCloseTo(50);
});

test('an axis with a single moment places it at 0', () => {
  expect(new TimeAxis([5]).place(5)).toBe(0);
});

test('a failed attempt is red and says why, and an open one of a silent worker, too', () => {
  const failure = { kind: 'threw', message: 'The oven is cold', at: at(40), epoch: 1 } as const;
  const rows = rowsOf(
    timelineOf(
      { ...attempt, at: at(5), epoch: 1, untilAt: at(50), end: 'retried', failure },
      { kind: 'model', at: at(6), epoch: 1, model: 'm', untilAt: at(9), inputTokens: 3, finishReason: 'stop' },
      { ...attempt, at: at(60), epoch: 2, attempt: 2, end: 'open', leaseMs: 0 },
    ),
    100,
  );
  expect(rows.map(({ label, detail, colour }) => [label, detail, colour])).toEqual([
    ['Attempt 1', 'failed, tried again: The oven is cold', 'red'],
    ['m', '3 + ? tokens · stop', 'green'],
    ['Attempt 2', 'runs: its worker is silent', 'red'],
  ]);
});
