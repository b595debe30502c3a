import { isUtf8 } from 'node:buffer';
import { posix } from 'node:path';

/**
 * By file extension, with its dot: no property of Object.prototype begins with one. General lists are not used, because
 * they map .ts to a video type.
 */
const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.gz': 'application/gzip',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.mjs': 'text/javascript',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.tar': 'application/x-tar',
  '.ts': 'text/x-typescript',
  '.tsx': 'text/x-typescript',
  '.wasm': 'application/wasm',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.zip': 'application/zip',
};

/** The media type of a file by its extension, or by whether its content, if it is known, is text. */
export function mediaTypeOf(path: string, content?: Uint8Array): string {
  const known = mediaTypes[posix.extname(path).toLowerCase()];
  return known ?? (content && isText(content) ? 'text/plain' : 'application/octet-stream');
}

/** A NUL is valid UTF-8, but not text. */
export function isText(content: Uint8Array): boolean {
  return isUtf8(content) && !content.includes(0);
}
