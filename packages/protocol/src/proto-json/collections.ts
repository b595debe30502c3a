import { isJsonObject } from '../objects/json-value.ts';
import type { Normalise } from './scalars.ts';

/** A list, entry by entry. */
export function normaliseList(normalise: Normalise): Normalise {
  return (value) => {
    if (!Array.isArray(value)) return value;
    let copy: unknown[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const entry = normalise(value[i]);
      if (entry === value[i]) continue;
      copy ??= [...value];
      copy[i] = entry;
    }
    return copy ?? value;
  };
}

/** A protobuf `map`, value by value: its keys are data, not names. */
export function normaliseMap(normalise: Normalise): Normalise {
  return (value) => {
    if (!isJsonObject(value)) return value;
    let isNormal = true;
    const entries = Object.entries(value).map(([key, before]) => {
      const after = normalise(before);
      isNormal &&= after === before;
      return [key, after];
    });
    return isNormal ? value : Object.fromEntries(entries);
  };
}
