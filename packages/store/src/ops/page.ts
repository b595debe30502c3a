import { InvalidPageToken } from '../tasks/page-token.ts';

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

/**
 * One page of all items, by their places, upwards. A page token names the place of the last item seen: it survives that this
 * one, or any other, is gone. @throws {InvalidPageToken}
 */
export function pageOf<Item>(
  items: readonly Item[],
  { pageSize, pageToken }: PageQuery,
  placeOf: (item: Item) => string,
): Page<Item> {
  const after = decode(pageToken);
  const places = items.map((item) => ({ item, place: placeOf(item) })).sort((a, b) => (a.place < b.place ? -1 : 1));
  const rest = after === undefined ? places : places.filter(({ place }) => place > after);
  const page = rest.slice(0, pageSize);
  const last = page.at(-1);
  return {
    items: page.map(({ item }) => item),
    totalSize: items.length,
    nextPageToken: last && rest.length > pageSize ? encode(last.place) : '',
  };
}

/** So that the latest come first: a place by time, counted down. */
export function latestFirst(ms: number, id: string): string {
  return `${String(Number.MAX_SAFE_INTEGER - ms).padStart(16, '0')} ${id}`;
}

/** So that the longest ago come first. */
export function earliestFirst(ms: number, id: string): string {
  return `${String(ms).padStart(16, '0')} ${id}`;
}

/** The mark keeps tokens of other lists out. */
const MARK = 'ops ';

function encode(place: string): string {
  return Buffer.from(MARK + place).toString('base64url');
}

function decode(token: string | undefined): string | undefined {
  if (!token) return undefined;
  const text = Buffer.from(token, 'base64url').toString();
  if (!text.startsWith(MARK)) throw new InvalidPageToken();
  return text.slice(MARK.length);
}
