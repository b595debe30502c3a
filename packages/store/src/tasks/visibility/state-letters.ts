import type { TaskState } from '@switchyard/protocol';

/**
 * One letter per state; capitals are terminal. Fields of the stream and members of an index begin with it: a feed can
 * end without parsing events, and all active states are one range of an index.
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

/** Completed, and its caller was given a plain message instead: lists leave it out (see set-visibility.lua). */
export const withdrawnLetter = 'M';

/**
 * Submitted to an agent that answers with messages, and still without an event: no client was given the task, so lists
 * and reads leave it out. Its first event shows it, or withdraws it if that is a message (see append.lua).
 */
export const hiddenLetter = 'h';

const states = new Map(Object.entries(stateLetters).map(([state, letter]) => [letter, state as TaskState]));
states.set(withdrawnLetter, 'TASK_STATE_COMPLETED');
states.set(hiddenLetter, 'TASK_STATE_SUBMITTED');

export const isStateLetter = (letter: string): boolean => states.has(letter);

export function stateOf(letter: string): TaskState {
  const state = states.get(letter);
  if (!state) throw new Error(`The store holds an unknown task state "${letter}".`);
  return state;
}
