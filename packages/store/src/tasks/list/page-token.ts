import { hash } from 'node:crypto';

/** The page token was changed, or belongs to another list or other filters. */
export class InvalidPageToken extends Error {
  override readonly name = 'InvalidPageToken';

  constructor() {
    super('The page token is not one that this list returned.');
  }
}

/** Length of the checksum at the front of a token. */
const SEAL_LENGTH = 11;

/**
 * A page token names the last item of a page: it stays valid when items move or are deleted.
 * @param position of the item in the list
 * @param filters of the list; a token is valid only for the same filters
 */
export function encodePageToken(position: string, filters: readonly unknown[]): string {
  return Buffer.from(seal(position, filters) + position).toString('base64url');
}

/** @returns the position; undefined for no token. @throws {InvalidPageToken} */
export function decodePageToken(token: string | undefined, filters: readonly unknown[]): string | undefined {
  if (!token) return undefined;
  const text = Buffer.from(token, 'base64url').toString();
  const position = text.slice(SEAL_LENGTH);
  if (encodePageToken(position, filters) !== token) throw new InvalidPageToken();
  return position;
}

/** A checksum that detects changed tokens. It needs no secret: every item is read in its caller's scope anyway. */
function seal(position: string, filters: readonly unknown[]): string {
  return hash('sha256', JSON.stringify([position, ...filters]), 'base64url').slice(0, SEAL_LENGTH);
}
