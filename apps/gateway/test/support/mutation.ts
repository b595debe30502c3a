import fc from 'fast-check';

export type Path = readonly (string | number)[];

/** A valid value with one change. */
export interface Mutant {
  readonly value: unknown;
  /** The path of the change. */
  readonly path: Path;
}

const removed = Symbol('removed');

/** Values that often break parsers. */
const oddities: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, 2 ** 53],
  ...['', ' ', '\u0000', '\ud800', '{}', '-1', '__proto__', 'TASK_STATE_WORKING', 'x'.repeat(5_000)],
  ...[[], [[]], [null], [{}], {}, { text: 'a', url: 'b' }, { constructor: 1 }],
  JSON.parse('{"__proto__": {"polluted": true}}'),
];
const anything = fc.oneof(fc.constantFrom(...oddities), fc.jsonValue());
/** No backslash: V8 confuses it with escaped names (nodejs/node#63785, docs/guarantees.md). */
const freeNames = fc.string().filter((name) => !name.includes('\\'));
const names = fc.oneof(fc.constantFrom('text', 'raw', 'url', 'data', 'id', '__proto__', 'toString'), freeNames);

/**
 * A change of a value: it is removed, gets another type, is put into a list or an object, or gets an additional
 * member.
 */
const changes: fc.Arbitrary<(node: unknown) => unknown> = fc.oneof(
  fc.constant(() => removed),
  anything.map((by) => () => by),
  fc.constant((node: unknown) => [node]),
  names.map((name) => (node: unknown) => ({ [name]: node })),
  fc.constant((node: unknown) => (typeof node === 'number' ? String(node) : 7)),
  fc.tuple(names, anything).map(
    ([name, by]) =>
      (node: unknown) =>
        withMember(node, name, by),
  ),
);

export function mutantsOf(valid: unknown): fc.Arbitrary<Mutant> {
  const places = fc.constantFrom(...pathsOf(valid));
  return fc.tuple(places, changes).map(([path, change]) => ({ path, value: changedAt(valid, path, change) }));
}

function pathsOf(value: unknown, path: Path = []): Path[] {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const isList = Array.isArray(value);
  return [path, ...members.flatMap(([key, member]) => pathsOf(member, [...path, isList ? Number(key) : key]))];
}

function changedAt(node: unknown, [step, ...rest]: Path, change: (node: unknown) => unknown): unknown {
  if (step === undefined) return change(node);
  const members = Object.entries(node ?? {}).map(([key, member]): [string, unknown] =>
    key === String(step) ? [key, changedAt(member, rest, change)] : [key, member],
  );
  const kept = members.filter(([, member]) => member !== removed);
  return Array.isArray(node) ? kept.map(([, member]) => member) : Object.fromEntries(kept);
}

function withMember(node: unknown, name: string, member: unknown): unknown {
  if (Array.isArray(node)) return [...node, member];
  return typeof node === 'object' ? { ...node, [name]: member } : member;
}
