import { describe, expect, test } from 'vitest';
import { canFollow, isInterrupted, isTerminal, type TaskState, taskStates } from '../src/index.ts';

const named = (...names: string[]): TaskState[] =>
  taskStates.filter((state) => names.some((name) => state.endsWith(name)));

const terminal = named('COMPLETED', 'FAILED', 'CANCELED', 'REJECTED');
const interrupted = named('INPUT_REQUIRED', 'AUTH_REQUIRED');

test('the states are in the order of the protobuf definition', () => {
  expect(taskStates).toEqual([
    'TASK_STATE_SUBMITTED',
    'TASK_STATE_WORKING',
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_CANCELED',
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_REJECTED',
    'TASK_STATE_AUTH_REQUIRED',
  ]);
});

test('completed, failed, canceled and rejected are terminal', () => {
  expect(taskStates.filter(isTerminal)).toEqual(terminal);
});

test('input-required and auth-required are interrupted', () => {
  expect(taskStates.filter(isInterrupted)).toEqual(interrupted);
});

describe.each(taskStates)('%s', (from) => {
  if (isTerminal(from)) {
    test('is followed by no state', () => {
      expect(taskStates.filter((to) => canFollow(from, to))).toEqual([]);
    });
  } else {
    test('can be followed by working, interrupted and terminal states', () => {
      for (const to of ['TASK_STATE_WORKING', ...interrupted, ...terminal] as const)
        expect(canFollow(from, to)).toBe(true);
    });
  }
});

test('only submitted and interrupted tasks can become submitted', () => {
  expect(taskStates.filter((from) => canFollow(from, 'TASK_STATE_SUBMITTED'))).toEqual([
    'TASK_STATE_SUBMITTED',
    ...interrupted,
  ]);
});
