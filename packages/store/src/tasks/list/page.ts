import { hash } from 'node:crypto';

export interface PageQuery {
  readonly pageSize: number;
  readonly pageToken?: string | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Of all pages together. */
  readonly totalSize: number;
  /** '' after the last page. */
  readonly nextPageToken: string;
}

/** The order of a paged list. */
export interface Paging<Item> {
  /** Name of the list: a page token is valid for this list only. */
  readonly list: string;
  /** Sort key, ascending. */
  readonly positionOf: (item: Item) => string;
}

/** One page of all items. @throws {InvalidPageToken} */
export function pageOf<Item>(
  items: readonly Item[],
  { pageSize, pageToken }: PageQuery,
  { list, positionOf }: Paging<Item>,
): Page<Item> {
  const filters = ['ops', list];
  const after = decodePageToken(pageToken, filters);
  const sorted = items.map((item) => ({ item, position: positionOf(item) }));
  sorted.sort((a, b) => (a.position < b.position ? -1 : 1));
  const rest = after === undefined ? sorted : sorted.filter(({ position }) => position > after);
  const page = rest.slice(0, pageSize);
  const last = page.at(-1);
  return {
    items: page.map(({ item }) => item),
    totalSize: items.length,
    nextPageToken: last && rest.length > pageSize ? encodePageToken(last.position, filters) : '',
  };
}

/** A sort key that puts the latest first: time, counted down. */
export function latestFirst(ms: number, id: string): string {
  return `${String(Number.MAX_SAFE_INTEGER - ms).padStart(16, '0')} ${id}`;
}

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
