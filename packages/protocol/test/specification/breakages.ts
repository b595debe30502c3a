import { rightValue, wrongValues } from './examples.ts';
import { entryOf, type Presence } from './field.ts';
import { definitionOf, specification } from './specification.ts';

type Path = readonly (string | number)[];

/** A field or a list entry of an object, set or not. */
interface Slot {
  readonly path: Path;
  readonly type: string;
  readonly presence: Presence | 'entry';
  readonly isSet: boolean;
}

/** A change that makes a valid object invalid. */
export interface Breakage {
  readonly path: Path;
  /** The value to put at the path. */
  readonly put: unknown;
  /** The field that the error must name. */
  readonly violated: string;
}

/** Every way to break an object by one change, at any depth. */
export function breakagesOf(name: string, value: object): Breakage[] {
  return slotsOf(name, value, []).flatMap(breakagesAt);
}

/** A copy of the value with another value at the path. */
export function replaceAt(value: unknown, [key, ...rest]: Path, put: unknown): unknown {
  if (key === undefined) return put;
  if (Array.isArray(value)) return value.with(Number(key), replaceAt(value[Number(key)], rest, put));
  if (typeof value !== 'object' || value === null) throw new Error(`Nothing at ${key}`);
  return { ...value, [key]: replaceAt(Reflect.get(value, key), rest, put) };
}

function slotsOf(name: string, value: object, path: Path): Slot[] {
  return Object.entries(definitionOf(name).fields).flatMap(([field, { type, presence }]) => {
    const given: unknown = Reflect.get(value, field);
    const slot: Slot = { path: [...path, field], type, presence, isSet: given !== undefined };
    return [slot, ...slotsWithin(type, given, slot.path)];
  });
}

function slotsWithin(type: string, value: unknown, path: Path): Slot[] {
  const entryType = entryOf(type);
  if (entryType && Array.isArray(value)) {
    return value.flatMap((one, index) => {
      const slot: Slot = { path: [...path, index], type: entryType, presence: 'entry', isSet: true };
      return [slot, ...slotsWithin(entryType, one, slot.path)];
    });
  }
  const isObject = specification[type] && typeof value === 'object' && value !== null;
  return isObject ? slotsOf(type, value, path) : [];
}

function breakagesAt({ path, type, presence, isSet }: Slot): Breakage[] {
  const here = (put: unknown): Breakage => ({ path, put, violated: display(path) });
  const inParent = (put: unknown): Breakage => ({ ...here(put), violated: display(path.slice(0, -1)) });
  const wrong = wrongValues(type).map(here);
  switch (presence) {
    case 'one of':
      return isSet ? [...wrong, inParent(undefined)] : [inParent(rightValue(type))];
    case 'required':
      return [...wrong, here(undefined), here(null)];
    case 'entry':
      return [...wrong, here(null)];
    default:
      return wrong;
  }
}

function display(path: Path): string {
  return path.reduce<string>((at, key) => (typeof key === 'number' ? `${at}[${key}]` : at ? `${at}.${key}` : key), '');
}
