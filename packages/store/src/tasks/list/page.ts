import { decodePageToken, encodePageToken } from './page-token.ts';

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

/** A sort key that puts the earliest first. */
export function earliestFirst(ms: number, id: string): string {
  return `${String(ms).padStart(16, '0')} ${id}`;
}
