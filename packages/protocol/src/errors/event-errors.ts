import { A2AError } from './a2a-error.ts';

/** The turn is suspended, and waits for other events. @param awaited their names */
export function eventNotAwaited(name: string, awaited: readonly string[], taskId: string): A2AError {
  const others = awaited.length > 0 ? `it waits for ${awaited.join(', ')}` : 'it waits for a time, and for no event';
  return new A2AError('Conflict', `The task does not wait for an event "${name}": ${others}`, {
    metadata: { taskId, awaited: awaited.join(',') },
  });
}

/** Why a task without a turn takes no event. */
export function eventWithoutTurn(why: 'asks' | 'ended', taskId: string): A2AError {
  const text = {
    asks: 'The agent works on no message of this task: it waits for its client',
    ended: 'The task has ended',
  }[why];
  return new A2AError('UnsupportedOperation', text, { metadata: { taskId } });
}
