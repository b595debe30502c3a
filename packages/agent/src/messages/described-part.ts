import type { Part } from '@switchyard/protocol';

/** Text unchanged, data as JSON, files by name and type only. */
export function described(part: Part): string {
  if (part.text !== undefined) return part.text;
  if (part.raw !== undefined) return `[${nameOf(part)}, ${Buffer.byteLength(part.raw, 'base64')} bytes]`;
  if (part.url !== undefined) return `[${nameOf(part)}: ${part.url}]`;
  return JSON.stringify(part.data);
}

/** `file a.pdf (application/pdf)` */
export function nameOf({ filename, mediaType }: Part): string {
  return `file${filename ? ` ${filename}` : ''}${mediaType ? ` (${mediaType})` : ''}`;
}
