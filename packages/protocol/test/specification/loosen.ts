import type { GeneratorValue } from 'fast-check';
import fc from 'fast-check';
import { taskStates } from '../../src/index.ts';
import { roleSchema } from '../../src/schemas/index.ts';
import { entryOf, type Field, mapEntryOf } from './field.ts';
import { definitionOf, specification } from './specification.ts';

/** Draws random values in one run of a property. */
export type Draw = GeneratorValue;

/** The same value in another form that ProtoJSON allows. */
export function loosen(type: string, value: unknown, draw: Draw): unknown {
  const entry = entryOf(type);
  if (entry && Array.isArray(value)) return value.map((one) => loosen(entry, one, draw));
  const mapEntry = mapEntryOf(type);
  if (mapEntry && typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, loosen(mapEntry, one, draw)]));
  }
  if (specification[type] && typeof value === 'object' && value !== null) return loosenObject(type, value, draw);
  return draw(fc.boolean) ? loosenScalar(type, value, draw) : value;
}

function loosenObject(name: string, value: object, draw: Draw): unknown {
  const given = new Map(Object.entries(value));
  const loose: Record<string, unknown> = draw(fc.boolean) ? { somethingNew: { of: 'version 1.1' } } : {};
  for (const [field, definition] of Object.entries(definitionOf(name).fields)) {
    const key = draw(fc.boolean) ? snakeCase(field) : field;
    if (given.has(field)) loose[key] = loosen(definition.type, given.get(field), draw);
    else if (draw(fc.boolean)) loose[key] = draw(fc.constantFrom, ...unsetValues(definition));
  }
  return loose;
}

function unsetValues({ type, presence }: Field): unknown[] {
  if (type === 'Value') return [undefined];
  if (presence === 'one of') return [null, undefined];
  if (type === 'string' || type === 'id' || type === 'bytes') return [null, undefined, ''];
  if (type === 'Role') return [null, 0, 'ROLE_UNSPECIFIED'];
  return type === 'TaskState' ? [null, 0, 'TASK_STATE_UNSPECIFIED'] : [null, undefined];
}

function loosenScalar(type: string, value: unknown, draw: Draw): unknown {
  if (type === 'Struct' || type === 'Value') return value;
  const text = String(value);
  switch (type) {
    case 'Role':
      return numberOf(value, roleSchema.options);
    case 'TaskState':
      return numberOf(value, taskStates);
    case 'count':
    case 'page size':
    case 'bool':
      return text;
    case 'bytes':
      return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    case 'Timestamp':
      return text.replace('Z', draw(fc.constantFrom, '+00:00', '000Z', '999999Z'));
    default:
      return value;
  }
}

/** The number of an enum name in the protobuf definition: 0 is the unspecified one. */
const numberOf = (value: unknown, names: readonly unknown[]): number => names.indexOf(value) + 1;

const snakeCase = (name: string): string => name.replace(/(?<=.)[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
