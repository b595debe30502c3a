import { rightValue, wrongValues } from './examples.ts';
import { entryOf, type Presence } from './field.ts';
import { definitionOf, specification } from './specification.ts';

type Path = readonly (string | number)[];

/** A field or a list entry of a value, whether it is set or only could be. */
interface Place {
  readonly path: Path;
  readonly type: string;
  readonly presence: Presence | 'entry';
  readonly isSet: boolean;
}

/** What to put where to make a right value wrong, and the field that has to be named for it. */
export interface Breakage {
  readonly path: Path;
  readonly put: unknown;
  readonly violated: string;
}

/** Every way to break an object by one change, however deep. */
export function breakagesOf(name: string, value: object): Breakage[] {
  return placesOf(name, value, []).flatMap(breakagesAt);
}

/** The value with something else at a path. */
export function replaceAt(value: unknown, [key, ...rest]: Path, put: unknown): unknown {
  if (key === undefined) return put;
  if (Array.isArray(value)) return value.with(Number(key), replaceAt(value[Number(key)], rest, put));
  if (typeof value !== 'object' || value === null) throw new Error(`Nothing at ${key}`);
  return { ...value, [key]: replaceAt(Reflect.get(value, key), rest, put) };
}

function placesOf(name: string, value: object, path: Path): Place[] {
  return Object.entries(definitionOf(name).fields).flatMap(([field, { type, presence }]) => {
    const given: unknown = Reflect.get(value, field);
    const place: Place = { path: [...path, field], type, presence, isSet: given !== undefined };
    return [place, ...placesWithin(type, given, place.path)];
  });
}

function placesWithin(type: string, value: unknown, path: Path): Place[] {
  const entryType = entryOf(type);
  if (entryType && Array.isArray(value)) {
    return value.flatMap((one, index) => {
      const place: Place = { path: [...path, index], type: entryType, presence: 'entry', isSet: true };
      return [place, ...placesWithin(entryType, one, place.path)];
    });
  }
  const isObject = specification[type] && typeof value === 'object' && value !== null;
  return isObject ? placesOf(type, value, path) : [];
}

function breakagesAt(place: Place): Breakage[] {
  const here = (put: unknown): Breakage => ({ path: place.path, put, violated: display(place.path) });
  const around = (put: unknown): Breakage => ({ ...here(put), violated: display(place.path.slice(0, -1)) });
  const wrong = wrongValues(place.type).map(here);
  switch (place.presence) {
    case 'one of':
      return place.isSet ? [...wrong, around(undefined)] : [around(rightValue(place.type))];
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
