import { randomBytes } from 'node:crypto';

/**
 * 128 bits, and the size in base 36: so the files of a principal are counted by their names alone. The bits are random,
 * or, after an `r`, those of a hash: the content of `raw` parts.
 */
const form = /^r?[\da-f]{32}-([\da-z]{1,11})$/;

/** @param sizeBytes of the whole file */
export function newFileId(sizeBytes: number): string {
  return `${randomBytes(16).toString('hex')}-${sizeBytes.toString(36)}`;
}

/** The id of what a part had as `raw`. @param name 128 bits in hexadecimal digits */
export function rawId(name: string, sizeBytes: number): string {
  return `r${name}-${sizeBytes.toString(36)}`;
}

export function isRawId(id: string): boolean {
  return id.startsWith('r');
}

/** What URLs of such ids contain, and hardly any others. */
export const RAW_IN_URL = '/files/r';

/** The id in the URL of what a part had as `raw`, and its bytes; undefined: it is another URL. */
export function rawFileIn(url: string | undefined): { readonly id: string; readonly sizeBytes: number } | undefined {
  const id = url?.includes(RAW_IN_URL) ? fileIdIn(url) : undefined;
  return id !== undefined && isRawId(id) ? { id, sizeBytes: sizeOf(id) ?? 0 } : undefined;
}

/** The id with another size. */
export function sizedId(id: string, sizeBytes: number): string {
  return `${id.slice(0, id.indexOf('-'))}-${sizeBytes.toString(36)}`;
}

/** Bytes of the file with this id; undefined: it is no id of a file. */
export function sizeOf(id: string): number | undefined {
  const [, size] = form.exec(id) ?? [];
  return size === undefined ? undefined : Number.parseInt(size, 36);
}

/**
 * The id in a URL `…/files/<id>`; undefined: it is no URL of a file. The host is not compared: a gateway may have
 * several names, and nobody else's URL has the id of a file that exists.
 */
export function fileIdIn(url: string): string | undefined {
  const path = URL.canParse(url) ? new URL(url).pathname : '';
  const [, id = ''] = /\/files\/([^/]+)$/.exec(path) ?? [];
  return sizeOf(id) === undefined ? undefined : id;
}

/** The ids of the files that parts of a message or artifact refer to, each once. */
export function fileIdsIn(parts: readonly { readonly url?: string | undefined }[]): string[] {
  return [...new Set(parts.flatMap(({ url }) => (url === undefined ? [] : (fileIdIn(url) ?? []))))];
}
