import type { CallRefusal } from '../port/call-port.ts';

/** Why a call failed. `unexpected-data`: the data of the answer does not match the call's `schema`. */
export type CallFailure = CallRefusal | 'timed-out' | 'unexpected-data';

/**
 * A call that could not be made, or got no answer in time. A failed or rejected task of the called agent is a reply,
 * not an error.
 *
 *     try {
 *       await turn.call('kitchen', 'Is the oven hot?', { timeoutMs: 1_000 });
 *     } catch (error) {
 *       if (!(error instanceof CallError && error.kind === 'timed-out')) throw error;
 *       return turn.complete('The kitchen does not answer.');
 *     }
 */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly kind: CallFailure;
  readonly agent: string;
  /** Id of the called task, if the call has one. */
  readonly taskId: string | undefined;

  constructor(kind: CallFailure, agent: string, { taskId, why = meanings[kind] }: CallErrorOptions = {}) {
    super(`The call of "${agent}" failed: ${why}`);
    this.kind = kind;
    this.agent = agent;
    this.taskId = taskId;
  }
}

interface CallErrorOptions {
  readonly taskId?: string;
  /** In words. Default: those of its kind. */
  readonly why?: string;
}

const meanings: Readonly<Record<CallFailure, string>> = {
  'unknown-agent': 'no worker has ever announced an agent of this id; start one, or give the URL of an agent card.',
  'too-deep': 'agents call each other in too long a chain; do they call each other in circles?',
  'too-many': 'too many calls of this task have not ended; wait for some of them with turn.join().',
  busy: 'too many messages wait in its task.',
  missing: 'this agent has no such task in this context, or it has expired.',
  ended: 'its task has ended and accepts no further messages; leave out `taskId` for a new one.',
  'other-context': 'its task belongs to another context.',
  'timed-out': 'it took too long, and was canceled.',
  'unexpected-data': 'its data does not match the schema of the call.',
};
