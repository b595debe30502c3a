/**
 * §4.1.3, in the order of the enum numbers. TASK_STATE_UNSPECIFIED is missing: it means that the field was not set.
 */
export const taskStates = [
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_AUTH_REQUIRED',
] as const;

export type TaskState = (typeof taskStates)[number];

/** A terminal task never changes again (§3.1.1). */
export function isTerminal(state: TaskState): boolean {
  return successors[state].length === 0;
}

/** The task waits for its client: for input, or for an authorization. */
export function isInterrupted(state: TaskState): boolean {
  return state === 'TASK_STATE_INPUT_REQUIRED' || state === 'TASK_STATE_AUTH_REQUIRED';
}

/** Whether state `to` may follow state `from`. A state may follow itself, with a new status message. */
export function canFollow(from: TaskState, to: TaskState): boolean {
  return successors[from].includes(to);
}

const ends: readonly TaskState[] = [
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
];

const running: readonly TaskState[] = [
  'TASK_STATE_WORKING',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_AUTH_REQUIRED',
  ...ends,
];

/** The states that may follow each. The client's answer sets a waiting task to SUBMITTED, but never a working one. */
const successors: Readonly<Record<TaskState, readonly TaskState[]>> = {
  TASK_STATE_SUBMITTED: ['TASK_STATE_SUBMITTED', ...running],
  TASK_STATE_WORKING: running,
  TASK_STATE_INPUT_REQUIRED: ['TASK_STATE_SUBMITTED', ...running],
  TASK_STATE_AUTH_REQUIRED: ['TASK_STATE_SUBMITTED', ...running],
  TASK_STATE_COMPLETED: [],
  TASK_STATE_FAILED: [],
  TASK_STATE_CANCELED: [],
  TASK_STATE_REJECTED: [],
};
