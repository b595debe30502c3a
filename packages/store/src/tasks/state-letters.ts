import type { TaskState } from '@switchyard/protocol';

/**
 * One letter per state; capitals are terminal. It begins the field name of every event in the stream and every member
 * of an index, so that a feed ends without parsing and all active states are one range.
 */
export const stateLetters: Readonly<Record<TaskState, string>> = {
  TASK_STATE_SUBMITTED: 's',
  TASK_STATE_WORKING: 'w',
  TASK_STATE_INPUT_REQUIRED: 'i',
  TASK_STATE_AUTH_REQUIRED: 'a',
  TASK_STATE_COMPLETED: 'C',
  TASK_STATE_FAILED: 'F',
  TASK_STATE_CANCELED: 'X',
  TASK_STATE_REJECTED: 'R',
};

/**
 * Completed with a plain message that was given to the caller instead of a task: lists leave it out (see withdraw.lua).
 */
export const withdrawnLetter = 'M';

const states = new Map(Object.entries(stateLetters).map(([state, letter]) => [letter, state as TaskState]));
states.set(withdrawnLetter, 'TASK_STATE_COMPLETED');

export function stateOf(letter: string): TaskState {
  const state = states.get(letter);
  if (!state) throw new Error(`The store holds an unknown task state "${letter}".`);
  return state;
}
