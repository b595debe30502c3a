import { hash } from 'node:crypto';
import type { WhileWorking } from '@switchyard/protocol';
import { integer, text, tupleAnd, verdict, words } from '@switchyard/redis';
import type { StoreSettings } from '../deployment/settings.ts';
import { piece } from '../tasks/read/pieces.ts';

const beginVerdicts = {
  ...words('stale', 'missing', 'canceled', 'exhausted', 'rejected'),
  turn: tupleAnd([text, integer, text, text, text, text, text], piece),
};
/**
 * Reply of begin.lua: fencing token, attempt, cancel ('' | '1'), inbox entry, owner, the process that lost the turn,
 * the skill whose queue has the job, and the task in pieces.
 */
export const beginReply = verdict(beginVerdicts);
/** Reply of take-turns.lua for a job. `not-begun`: its run begins the turn itself. */
export const takenTurnReply = verdict({ ...beginVerdicts, ...words('not-begun') });
export type BeginReply = ReturnType<typeof beginReply>;

/** The last arguments of scripts that begin a turn. */
export const beginArgNames = ['run', 'maxAttempts', 'largeBytes', 'whileWorking'] as const;

/** An agent's own settings for its turns. */
export interface AgentTurnSettings {
  /** Overrides the deployment's setting. */
  readonly maxAttempts?: number | undefined;
  readonly whileWorking?: WhileWorking | undefined;
  /** After so many turns a job leaves the next to a successor. Default: 8. */
  readonly turnsPerJob?: number | undefined;
}

const whileWorkingLetters = { queue: '', steer: 's', reject: 'r' } as const;

/**
 * The values of `beginArgNames`.
 * @param run identifies this start of a turn: the token of its job's run, and how many turns that run has had
 */
export function beginArgValues(settings: StoreSettings, agent: AgentTurnSettings, run: string) {
  const { maxAttempts = settings.maxAttempts, whileWorking = 'queue' } = agent;
  const id = Number.parseInt(hash('sha256', run).slice(0, 12), 16).toString(36).slice(-8);
  return { run: id, maxAttempts, largeBytes: settings.largeTextBytes, whileWorking: whileWorkingLetters[whileWorking] };
}

/** The epoch in a fencing token: the task's attempts so far, this one included. */
export function epochOf(fence: string): number {
  return Number.parseInt(fence, 10);
}
