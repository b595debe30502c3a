/**
 * Whether two media types overlap. Either may be a range such as `text/*` or `text` (RFC 9110 12.5.1). Parameters are
 * ignored.
 */
export function mediaRangesMeet(one: string, other: string): boolean {
  const [a, b] = [essence(one), essence(other)];
  return covers(a, b) || covers(b, a);
}

function covers(range: string, type: string): boolean {
  return (
    range === '*/*' || range === '*' || range === type || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)))
  );
}

/** A type without a subtype is a range: many cards have `text` for `text/*`. */
function essence(mediaType: string): string {
  const type = (mediaType.split(';')[0] ?? '').trim().toLowerCase();
  return type === '' || type === '*' || type.includes('/') ? type : `${type}/*`;
}
