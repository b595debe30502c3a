import fc from 'fast-check';
import { entryOf, type Field, mapEntryOf } from './field.ts';
import { definitionOf } from './specification.ts';

/**
 * Any key except `__proto__`, which the SDK takes for a prototype (other tests cover it), and except keys with a
 * backslash, after which V8 misreads other escaped keys (engine.test.ts).
 */
const mapKey = fc.string({ maxLength: 8 }).filter((key) => key !== '__proto__' && !key.includes('\\'));

/** The values that JSON.parse can return: no -0, no undefined. */
const json = fc
  .anything({
    key: mapKey,
    values: [fc.boolean(), fc.constant(null), fc.double({ noDefaultInfinity: true, noNaN: true }), fc.string()],
    maxDepth: 3,
  })
  .map((value): unknown => JSON.parse(JSON.stringify(value)));

const struct = fc.dictionary(mapKey, json, { maxKeys: 3, noNullPrototype: true });
const text = fc.string({ unit: 'binary', maxLength: 20 });
const enumOf = (...names: string[]) => fc.constantFrom(...names);

const scalars: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: text,
  bytes: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  bool: fc.boolean(),
  Struct: struct,
  Value: json,
  Timestamp: fc
    .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  Role: enumOf('ROLE_USER', 'ROLE_AGENT'),
  TaskState: enumOf(
    'TASK_STATE_SUBMITTED',
    'TASK_STATE_WORKING',
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_CANCELED',
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_REJECTED',
    'TASK_STATE_AUTH_REQUIRED',
  ),
  id: fc.oneof(fc.uuid(), fc.string({ minLength: 1, maxLength: 20 })),
  webhook: fc.webUrl({ validSchemes: ['http', 'https'] }),
  location: enumOf('query', 'header', 'cookie'),
  'page size': fc.integer({ min: 1, max: 100 }),
  count: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
};

/** Values of a type in the canonical form: the schemas accept and do not change them. */
function valuesOf(type: string, presence: Field['presence'] = 'optional'): fc.Arbitrary<unknown> {
  const minLength = presence === 'required' ? 1 : 0;
  if (type === 'string' && presence === 'required') return text.filter((value) => value !== '');
  const entry = entryOf(type);
  if (entry) return fc.array(valuesOf(entry), { minLength, maxLength: 3 });
  const mapEntry = mapEntryOf(type);
  if (mapEntry) return fc.dictionary(mapKey, valuesOf(mapEntry), { maxKeys: 3, noNullPrototype: true });
  return scalars[type] ?? objectsOf(type);
}

/** Valid objects of a name, with any of their optional fields. */
export function objectsOf(name: string): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(definitionOf(name).fields);
  const members = fields.filter(([, { presence }]) => presence === 'one of');
  const rest = recordOf(fields.filter(([, { presence }]) => presence !== 'one of'));
  if (members.length === 0) return rest;
  const chosen = fc.oneof(...members.map((member) => recordOf([member])));
  return fc.tuple(chosen, rest).map(([one, others]) => ({ ...one, ...others }));
}

function recordOf(fields: readonly (readonly [string, Field])[]): fc.Arbitrary<Record<string, unknown>> {
  const model = Object.fromEntries(fields.map(([name, { type, presence }]) => [name, fieldValues(type, presence)]));
  const requiredKeys = fields
    .filter(([, { presence }]) => presence !== 'optional' && presence !== 'explicit')
    .map(([name]) => name);
  return fc.record(model, { requiredKeys, noNullPrototype: true });
}

/** Optional strings are not empty, because in ProtoJSON an empty string means unset. */
function fieldValues(type: string, presence: Field['presence']): fc.Arbitrary<unknown> {
  const isUnsettable = type === 'string' && (presence === 'optional' || presence === 'explicit');
  return isUnsettable ? valuesOf(type, 'required') : valuesOf(type, presence);
}
