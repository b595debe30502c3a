import { entryOf, type Field, mapEntryOf } from './field.ts';
import { definitionOf, specification } from './specification.ts';

/**
 * What the published SDK loses of what it reads, and nothing else:
 * - `{"data": null}`: it takes the null for unset, and the part for empty;
 * - false, zero, empty strings, empty lists and empty maps where the protobuf definition gives the field no presence.
 *   To ProtoJSON
 *   that is no loss: a reader has to take absent and empty for the same.
 */
export function withoutKnownLosses(type: string, value: unknown): unknown {
  const entry = entryOf(type);
  if (entry && Array.isArray(value)) return value.map((one) => withoutKnownLosses(entry, one));
  if (typeof value !== 'object' || value === null) return value;
  const mapEntry = mapEntryOf(type);
  if (mapEntry) return mapValues(value, (one) => withoutKnownLosses(mapEntry, one));
  return specification[type] ? objectWithoutKnownLosses(type, value) : value;
}

function objectWithoutKnownLosses(name: string, value: object): unknown {
  const { fields } = definitionOf(name);
  const kept = Object.entries(value).filter(([key, given]) => fields[key] && !isLost(fields[key], given));
  return Object.fromEntries(kept.map(([key, given]) => [key, withoutKnownLosses(fields[key]?.type ?? '', given)]));
}

function isLost({ type, presence }: Field, value: unknown): boolean {
  if (type === 'Value') return value === null;
  if (presence === 'explicit' || presence === 'one of') return false;
  if (Array.isArray(value)) return value.length === 0;
  if (mapEntryOf(type)) return Object.keys(value ?? {}).length === 0;
  return value === false || value === 0 || value === '';
}

function mapValues(map: object, change: (value: unknown) => unknown): unknown {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}
