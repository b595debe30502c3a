import type { ArchivedTask } from '@switchyard/store';
import { keyOf, prefixKeysOf } from './keyed-texts.ts';
import { Parameters, type Statement } from './statement.ts';
import { wordsOf } from './words.ts';

/** A statement has at most 65,535 parameters, and a message of PostgreSQL less than 1 GiB. */
const MAX_ROWS = 500;
const MAX_TEXT = 16 * 1024 ** 2;

/** JSON never has this character. PostgreSQL splits a text ten times as fast as it reads an array. */
const SEPARATOR = '\x1e';

const columns = {
  id: ({ id }) => id,
  owner: ({ owner }) => owner,
  owner_key: ({ owner }) => keyOf(owner),
  principal_key: ({ owner }) => prefixKeysOf(owner).principal,
  tenant_key: ({ owner }) => prefixKeysOf(owner).tenant,
  agent_key: ({ agent }) => keyOf(agent),
  context: ({ context }) => context,
  context_key: ({ context }) => keyOf(context),
  letter: ({ letter }) => letter,
  time: ({ time }) => time,
  ended_at: ({ endedAt }) => endedAt,
  version: ({ version }) => version,
  seq: seqOf,
  answered: ({ answered }) => answered,
  head: ({ json }) => json.head,
  artifacts: ({ json }) => json.artifacts,
  history: ({ json }) => json.history.join(SEPARATOR),
  history_bytes: ({ json }) => historyBytes(json.history),
  tail: ({ json }) => json.tail,
  row_json: ({ row }) => row,
  detail_json: ({ detail }) => detail,
  origin_json: ({ origin }) => origin,
  words: ({ json }) => wordsOf(json),
} as const satisfies Readonly<Record<string, (task: ArchivedTask) => unknown>>;

/** All that a deleted task loses. */
export const erased = Object.keys(columns)
  .filter((column) => column !== 'id' && column !== 'ended_at')
  .map((column) => `${column} = NULL`)
  .join(', ');

/** One statement for a batch, in the order of ids: batches of several processes then wait for each other in turn. */
export function putStatement(table: string, tasks: readonly ArchivedTask[]): Statement {
  const parameters = new Parameters();
  const rowOf = (task: ArchivedTask): string =>
    `(${Object.entries(columns).map(([name, of]) => valueIn(name, of(task)))})`;
  const valueIn = (name: string, value: unknown): string => {
    const parameter = parameters.add(value);
    if (name === 'history') return `string_to_array(${parameter}, E'\\x1e')`;
    return name === 'words' ? `to_tsvector('simple', ${parameter})` : parameter;
  };
  const names = Object.keys(columns);
  const text = `
    INSERT INTO ${table} AS old (${names}) VALUES ${tasks.map(rowOf)}
    ON CONFLICT (id) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`)}
    WHERE old.deleted_at IS NULL AND
      (old.seq <= excluded.seq OR split_part(old.version, '-', 2) <> split_part(excluded.version, '-', 2))`;
  return { text, values: parameters.values };
}

/** Each task once, in its latest version, in batches of a bounded size. */
export function batchesOf(tasks: readonly ArchivedTask[]): readonly (readonly ArchivedTask[])[] {
  const latest = new Map<string, ArchivedTask>();
  for (const task of tasks) {
    const known = latest.get(task.id);
    if (!known || seqOf(known) <= seqOf(task)) latest.set(task.id, task);
  }
  const batches: ArchivedTask[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const task of [...latest.values()].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    length += lengthOf(task);
    if (length > MAX_TEXT || (batches.at(-1)?.length ?? 0) >= MAX_ROWS) {
      batches.push([]);
      length = lengthOf(task);
    }
    batches.at(-1)?.push(task);
  }
  return batches;
}

function seqOf({ version }: ArchivedTask): number {
  return Number.parseInt(version, 10);
}

function lengthOf({ json: { head, artifacts, history, tail }, row, detail, origin }: ArchivedTask): number {
  return [head, artifacts, ...history, tail, row, detail, origin].reduce((sum, text) => sum + text.length, 0);
}

/** Of `,"history":[…]`, as it is read. */
function historyBytes(history: readonly string[]): number {
  if (history.length === 0) return 0;
  const messages = history.reduce((sum, message) => sum + Buffer.byteLength(message), 0);
  return messages + history.length - 1 + ',"history":[]'.length;
}

/** Characters of a batch, about. */
export const sizeOfBatch = (tasks: readonly ArchivedTask[]): number =>
  tasks.reduce((sum, task) => sum + lengthOf(task), 0);
