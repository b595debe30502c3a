import { stripVTControlCharacters } from 'node:util';

/** Longest control sequence, in bytes. */
const maxSequenceBytes = 32;

/** Length of the whole characters and control sequences of the buffer; the rest waits for more bytes. */
export function wholeLength(bytes: Buffer): number {
  const end = bytes.length - openSequence(bytes);
  for (let back = 1; back <= Math.min(3, end); back++) {
    const byte = bytes[end - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const expected = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return expected > back ? end - back : end;
  }
  return end;
}

/** The text without colours and cursor movements. */
export function readable(bytes: Buffer): string {
  return stripVTControlCharacters(bytes.toString('utf8')).replaceAll('\0', '');
}

/** The length of an escape sequence that is still open at the end. */
function openSequence(bytes: Buffer): number {
  const start = bytes.lastIndexOf(0x1b);
  if (start < 0 || bytes.length - start > maxSequenceBytes) return 0;
  const sequence = bytes.subarray(start + 1).toString('latin1');
  return /^(?:\[[0-9;?]*)?$/.test(sequence) ? bytes.length - start : 0;
}
