import { entryOf, type Field, mapEntryOf } from './field.ts';
import { definitionOf, specification } from './specification.ts';

/**
 * Removes from a value what the published SDK loses when it reads and writes the value:
 * - `{"data": null}`: it reads null as unset, and the part as empty;
 * - false, zero, empty strings, lists and maps of fields without presence in the protobuf definition. In ProtoJSON this
 *   is no loss: a reader must treat absent and empty alike.
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
