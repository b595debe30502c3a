/** First and last byte of a part of a file. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The range that a request asks for (RFC 9110 14.2). Undefined: the whole file, also for several ranges, and for a range
 * of another version of the file (`If-Range`).
 */
export function rangeIn(
  { range, 'if-range': ifRange }: { readonly range?: string | undefined; readonly 'if-range'?: string | undefined },
  { sizeBytes, etag }: { readonly sizeBytes: number; readonly etag: string },
): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (ifRange !== undefined && ifRange !== etag) return undefined;
  const start = first === '' ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  return start > end ? 'unsatisfiable' : { start, end };
}
