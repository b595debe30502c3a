import { entryOf, mapEntryOf } from './field.ts';
import { definitionOf } from './specification.ts';

/** A right value and some wrong values of each scalar type. */
const scalars: Readonly<Record<string, { readonly right: unknown; readonly wrong: readonly unknown[] }>> = {
  string: { right: 'anything', wrong: [5, true, {}, []] },
  bytes: { right: 'aGk=', wrong: [5, {}, 'no base64!', 'aGk=aGk=', 'aGk==', 'a'] },
  bool: { right: true, wrong: [1, 'yes', {}, []] },
  Struct: { right: { any: ['thing'] }, wrong: [5, 'text', [], deep(101)] },
  Value: { right: ['anything'], wrong: [deep(101), Number.POSITIVE_INFINITY] },
  Timestamp: {
    right: '2026-01-31T10:00:00.000Z',
    wrong: [
      'yesterday',
      '2026-01-31',
      '2026-02-30T10:00:00Z',
      '2026-02-30T10:00:00.000Z',
      '10000-01-01T00:00:00Z',
      5,
      {},
      [],
    ],
  },
  Role: { right: 'ROLE_USER', wrong: ['user', 'ROLE_NONE', 3, -1, 1.5, true, {}, []] },
  TaskState: { right: 'TASK_STATE_WORKING', wrong: ['working', 'TASK_STATE_DONE', 9, -1, 1.5, true, {}, []] },
  id: {
    right: 'id-1',
    wrong: [5, {}, [], 'x'.repeat(257), 'line\nbreak', 'nul\0', 'line\u2028separator', 'half \ud83d'],
  },
  webhook: {
    right: 'https://client.example/hook',
    wrong: [5, {}, 'client.example', 'ftp://client.example', 'http://'],
  },
  location: { right: 'header', wrong: ['body', 5, {}] },
  'page size': { right: 50, wrong: [0, 101, -1, 1.5, 'many', {}] },
  count: { right: 3, wrong: [-1, 1.5, 2 ** 31, 'many', true, {}] },
};

function deep(levels: number): unknown {
  return levels === 0 ? 0 : { a: deep(levels - 1) };
}

/** The smallest value of a type that is not empty. Throws for an unknown type. */
export function rightValue(type: string): unknown {
  const entry = entryOf(type);
  if (entry) return [rightValue(entry)];
  const mapEntry = mapEntryOf(type);
  if (mapEntry) return { key: rightValue(mapEntry) };
  return scalars[type] ? scalars[type].right : smallest(type);
}

/** Values that are not of the type. */
export function wrongValues(type: string): readonly unknown[] {
  if (entryOf(type)) return [{}, 'text', 5];
  if (mapEntryOf(type)) return [[], 'text', 5];
  return scalars[type]?.wrong ?? [[], 'text', 5, true];
}

/** An object with its required fields only. */
export function smallest(name: string): Record<string, unknown> {
  const fields = Object.entries(definitionOf(name).fields);
  const chosen = fields.find(([, { presence }]) => presence === 'one of')?.[0];
  const needed = fields.filter(([field, { presence }]) => presence === 'required' || field === chosen);
  return Object.fromEntries(needed.map(([field, { type }]) => [field, rightValue(type)]));
}
