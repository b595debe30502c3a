/**
 * Whether a list of media types that a client accepts has room for one: no list takes everything, `text/*` takes every text,
 * and parameters do not count.
 */
export function accepts(accepted: readonly string[], mediaType: string): boolean {
  const type = essence(mediaType);
  return accepted.length === 0 || accepted.map(essence).some((range) => covers(range, type));
}

function covers(range: string, type: string): boolean {
  return range === '*/*' || range === type || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));
}

const essence = (mediaType: string): string => (mediaType.split(';')[0] ?? '').trim().toLowerCase();
