/** A page token names the last task seen, as the index sorts it: it survives that the task moves or is gone. */
export function encodePageToken(place: string): string {
  return Buffer.from(place).toString('base64url');
}

const PLACE = /^[0-9a-z]{8}[\x21-\x7e]{1,64}$/;

/** The page token is none that this store gave out. */
export class InvalidPageToken extends Error {
  override readonly name = 'InvalidPageToken';

  constructor() {
    super('The page token is not one that ListTasks answered.');
  }
}

/** @returns `time .. id`; '' for no token. @throws {InvalidPageToken} */
export function decodePageToken(token: string): string {
  const place = Buffer.from(token, 'base64url').toString();
  if (token && !PLACE.test(place)) throw new InvalidPageToken();
  return place;
}
