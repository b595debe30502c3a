import type { AgentReading } from '@switchyard/operator-api';
import type { TaskState } from '@switchyard/protocol';

export type Colour = 'gray' | 'blue' | 'green' | 'amber' | 'red' | 'violet';

interface Badge {
  readonly name: string;
  readonly colour: Colour;
}

const badges: Readonly<Record<TaskState, Badge>> = {
  TASK_STATE_SUBMITTED: { name: 'Submitted', colour: 'gray' },
  TASK_STATE_WORKING: { name: 'Working', colour: 'blue' },
  TASK_STATE_INPUT_REQUIRED: { name: 'Needs input', colour: 'amber' },
  TASK_STATE_AUTH_REQUIRED: { name: 'Needs sign-in', colour: 'amber' },
  TASK_STATE_COMPLETED: { name: 'Completed', colour: 'green' },
  TASK_STATE_FAILED: { name: 'Failed', colour: 'red' },
  TASK_STATE_REJECTED: { name: 'Rejected', colour: 'red' },
  TASK_STATE_CANCELED: { name: 'Canceled', colour: 'gray' },
};

/** The text for a task's state. */
export function stateName(state: TaskState): string {
  return badges[state].name;
}

/** The colour of a state, the same everywhere. */
export function stateColour(state: TaskState): Colour {
  return badges[state].colour;
}

/** The health of an agent. A missing worker is a problem only if messages wait. */
export function agentBadge({ workers, paused, waiting, frozenTurns, remoteProblem }: AgentReading): Badge {
  if (workers === 0 && waiting > 0) return { name: 'No worker', colour: 'red' };
  if (frozenTurns > 0) return { name: 'Worker silent', colour: 'red' };
  if (paused) return { name: 'Paused', colour: 'amber' };
  if (workers === 0) return { name: 'No worker', colour: 'gray' };
  if (remoteProblem) return { name: remoteProblem.kind === 'bad-card' ? 'Bad card' : 'Unreachable', colour: 'red' };
  return { name: 'Ready', colour: 'green' };
}
