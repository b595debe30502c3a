import { stateOf, type Task } from '../agent/objects.ts';
import { CommandFailure } from '../failures/failure.ts';

/** Exit codes of `--exit-status`: those below 10 say why the command itself failed. */
const exitCodes: Readonly<Record<string, number>> = {
  TASK_STATE_COMPLETED: 0,
  TASK_STATE_FAILED: 10,
  TASK_STATE_REJECTED: 11,
  TASK_STATE_CANCELED: 12,
  TASK_STATE_INPUT_REQUIRED: 13,
  TASK_STATE_AUTH_REQUIRED: 14,
};

const OPEN = 15;

export const exitStatusText =
  'exit with the task’s state: 0 completed, 10 failed, 11 rejected, 12 canceled, 13 input required, 14 authorization ' +
  'required, 15 not ended';

/** @throws {CommandFailure} unless the task is completed, or its agent has answered with a message */
export function requireCompleted(task: Task | undefined): void {
  const state = task && stateOf(task);
  const exitCode = state === undefined ? 0 : (exitCodes[state] ?? OPEN);
  if (exitCode !== 0)
    throw new CommandFailure('SWITCHYARD_ERR_TASK_STATE', `The task is ${state}`, { exitCode, isReported: true });
}
