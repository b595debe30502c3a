import type { IncomingHttpHeaders } from 'node:http';

export interface Validators {
  /** With its quotes. */
  readonly etag: string;
  readonly lastModified: Date;
}

/**
 * Whether the caller has what would be sent (RFC 9110 13.2.2). (Express' `fresh` says no to whoever sends
 * `Cache-Control: no-cache`, and `fetch` does so whenever it is given `If-None-Match`.)
 */
export function isUnchanged(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const known = headers['if-none-match'];
  if (known !== undefined) return known.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return since >= Math.floor(lastModified.getTime() / 1000) * 1000;
}
