import { mediaRangesMeet } from '@switchyard/protocol';

/** Whether a list of media types that a client accepts has room for one: no list takes everything, `text/*` takes every text. */
export function accepts(accepted: readonly string[], mediaType: string): boolean {
  return accepted.length === 0 || accepted.some((range) => mediaRangesMeet(range, mediaType));
}
