import type { TaskState } from '@switchyard/protocol';
import type { TaskQuery } from './tasks.ts';

/** Names of states; some mean several. */
const stateWords: Readonly<Record<string, readonly TaskState[]>> = {
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

/** A term of a search for tasks, explained where one types. */
export interface SearchTerm {
  readonly name: string;
  /** What a click adds to the search. */
  readonly start: string;
  readonly about: string;
  /** Its usual values. */
  readonly values?: readonly string[];
}

export const searchTerms: readonly SearchTerm[] = [
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

/** What a search finds tasks by. */
export type TaskSearch = Partial<Omit<TaskQuery, 'pageSize' | 'pageToken'>>;

interface Read {
  readonly search: TaskSearch;
  /** The part that is not understood. */
  readonly problem?: string;
}

const texts = {
  agent: 'agent',
  reason: 'reason',
  tenant: 'tenant',
  subject: 'subject',
  context: 'contextId',
  id: 'id',
} as const;
const times = { since: 'since', until: 'until' } as const;

const termNames = searchTerms.map(({ name }) => `${name}:`).join(' ');
const isWords = 'is: takes stuck';

/** `agent:pizza state:failed since:1h`, in any order; a word alone is an id. */
export function readSearch(text: string, now: number): Read {
  let read: Read = { search: {} };
  for (const [, name = 'id', quoted, plain = ''] of text.matchAll(/(?:(\w+):)?(?:"([^"]*)"|(\S+))/g))
    read = withWord(read, [name, name === 'text' && quoted !== undefined ? `"${quoted}"` : (quoted ?? plain)], now);
  return read;
}

function withWord({ search, problem }: Read, [name, value]: readonly [string, string], now: number): Read {
  const kept = { ...(problem !== undefined && { problem }) };
  if (name === 'text') {
    // A task must have all of them.
    return { search: { ...search, text: [search.text, value].filter(Boolean).join(' ') }, ...kept };
  }
  if (isIn(texts, name)) return { search: { ...search, [texts[name]]: value }, ...kept };
  if (isIn(times, name)) {
    const at = timeOf(value, now);
    if (at !== undefined) return { search: { ...search, [times[name]]: at }, ...kept };
    return { search, problem: `${name}: takes 30m, 1h, 2d or 2026-01-31` };
  }
  if (name === 'is')
    return value === 'stuck' ? { search: { ...search, stuck: true }, ...kept } : { search, problem: isWords };
  if (name === 'sort')
    return value === 'cost'
      ? { search: { ...search, sort: 'cost' }, ...kept }
      : { search, problem: 'sort: takes cost' };
  if (name !== 'state') return { search, problem: `Unknown search term “${name}:”. There are ${termNames}.` };
  const states = value.split(',').map((word) => stateWords[word.toLowerCase()]);
  const known = states.filter((each) => each !== undefined).flat();
  if (known.length > 0 && !states.includes(undefined)) return { search: { ...search, state: known }, ...kept };
  return { search, problem: `state: takes ${Object.keys(stateWords).join(', ')}` };
}

function isIn<Names extends object>(names: Names, name: string): name is Extract<keyof Names, string> {
  return Object.hasOwn(names, name);
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Rounded to the minute, so that the same text gives the same query for a while. */
function timeOf(value: string, now: number): string | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(value) ?? [];
  const ms = count === undefined ? Date.parse(value) : now - Number(count) * (unitMs[unit] ?? 0);
  if (Number.isNaN(ms)) return undefined;
  return new Date(count === undefined ? ms : Math.floor(ms / 60_000) * 60_000).toISOString();
}
