import { InvalidPageToken } from '../tasks/page-token.ts';

/** Names the last webhook seen by its lane: it survives that this one, or any other, is deleted. */
export function encodeLaneToken(lane: number): string {
  return Buffer.from(`w${lane}`).toString('base64url');
}

/** @returns 0 for no token. @throws {InvalidPageToken} */
export function decodeLaneToken(token = ''): number {
  if (!token) return 0;
  const [, lane] = /^w(\d{1,9})$/.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  if (!lane) throw new InvalidPageToken();
  return Number(lane);
}
