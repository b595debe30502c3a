import type { TaskQuery } from '@switchyard/operator-api';
import { commonTerms, stateWords } from './search-terms.ts';

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

const termNames = commonTerms.map(({ name }) => `${name}:`).join(' ');
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

/** The text with another value for a term; '' removes the term. */
export function withTerm(text: string, name: string, value: string): string {
  const others = text.split(/\s+/).filter((word) => word !== '' && !word.startsWith(`${name}:`));
  return [...others, ...(value ? [`${name}:${value}`] : [])].join(' ');
}

/** The value of a term in the text, or ''. */
export function termIn(text: string, name: string): string {
  const word = text.split(/\s+/).find((each) => each.startsWith(`${name}:`));
  return word?.slice(name.length + 1) ?? '';
}
