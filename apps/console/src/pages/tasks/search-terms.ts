import type { TaskState } from '@switchyard/protocol';

/** Names of states; some mean several. */
export const stateWords: Readonly<Record<string, readonly TaskState[]>> = {
  submitted: ['TASK_STATE_SUBMITTED'],
  working: ['TASK_STATE_WORKING'],
  input: ['TASK_STATE_INPUT_REQUIRED'],
  auth: ['TASK_STATE_AUTH_REQUIRED'],
  completed: ['TASK_STATE_COMPLETED'],
  failed: ['TASK_STATE_FAILED'],
  rejected: ['TASK_STATE_REJECTED'],
  canceled: ['TASK_STATE_CANCELED'],
  open: ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING'],
  waiting: ['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_AUTH_REQUIRED'],
};

/** A term of the search, explained where one types. */
export interface SearchTerm {
  readonly name: string;
  /** What a click adds to the search. */
  readonly start: string;
  readonly about: string;
  /** Its usual values. */
  readonly values?: readonly string[];
}

export const commonTerms: readonly SearchTerm[] = [
  {
    name: 'is',
    start: 'is:stuck',
    about: 'has work to do, and nobody does it: its agent is paused or without a worker, or its worker is silent',
    values: ['stuck'],
  },
  {
    name: 'state',
    start: 'state:',
    about: 'one or several, with commas; “open” is submitted and working, “waiting” is input and auth',
    values: Object.keys(stateWords),
  },
  {
    name: 'reason',
    start: 'reason:',
    about: 'a part of why its last attempt failed, or the kind: threw, timed-out, worker-lost, worker-blocked',
  },
  {
    name: 'text',
    start: 'text:',
    about:
      'words in messages and artifacts of ended tasks, if there is an archive; text:"two words" follow one another',
  },
  { name: 'agent', start: 'agent:', about: 'the agent’s id' },
  { name: 'tenant', start: 'tenant:', about: 'whose client sent it; with spaces: tenant:"two words"' },
  { name: 'subject', start: 'subject:', about: 'the client within its tenant' },
  { name: 'context', start: 'context:', about: 'all tasks of a context' },
  {
    name: 'since',
    start: 'since:1h',
    about: 'created, interrupted or ended after it: 30m, 2d, or a date such as 2026-01-31',
    values: ['5m', '1h', '1d', '7d'],
  },
  {
    name: 'sort',
    start: 'sort:cost',
    about: 'the dearest first, of the latest 10,000 that match; otherwise the latest first',
    values: ['cost'],
  },
  { name: 'until', start: 'until:', about: 'before it, written as for “since”', values: ['5m', '1h', '1d', '7d'] },
];
