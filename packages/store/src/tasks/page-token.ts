import { hash } from 'node:crypto';

/** The page token is none that this list gave out: it was changed, or belongs to another list or to other filters. */
export class InvalidPageToken extends Error {
  override readonly name = 'InvalidPageToken';

  constructor() {
    super('The page token is not one that this list answered.');
  }
}

/** Characters of the seal, at the front of a token. */
const SEAL_LENGTH = 11;

/**
 * A page token names the last item seen: it survives that this one, or any other, moves or is gone.
 * @param position of the item among the others
 * @param filters what the list is a list of; a token is good for the same ones only
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

/** No secret: it tells what is broken or mistaken, and every item is looked up in its caller's scope anyway. */
function seal(position: string, filters: readonly unknown[]): string {
  return hash('sha256', JSON.stringify([position, ...filters]), 'base64url').slice(0, SEAL_LENGTH);
}
