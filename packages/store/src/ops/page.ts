import { decodePageToken, encodePageToken } from '../tasks/page-token.ts';

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

/** How a list is paged. */
export interface Paging<Item> {
  /** Its name: a page token is good for this list only. */
  readonly list: string;
  /** Items come by it, upwards. */
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
  const placed = items.map((item) => ({ item, position: positionOf(item) }));
  placed.sort((a, b) => (a.position < b.position ? -1 : 1));
  const rest = after === undefined ? placed : placed.filter(({ position }) => position > after);
  const page = rest.slice(0, pageSize);
  const last = page.at(-1);
  return {
    items: page.map(({ item }) => item),
    totalSize: items.length,
    nextPageToken: last && rest.length > pageSize ? encodePageToken(last.position, filters) : '',
  };
}

/** So that the latest come first: a position by time, counted down. */
export function latestFirst(ms: number, id: string): string {
  return `${String(Number.MAX_SAFE_INTEGER - ms).padStart(16, '0')} ${id}`;
}

/** So that the longest ago come first. */
export function earliestFirst(ms: number, id: string): string {
  return `${String(ms).padStart(16, '0')} ${id}`;
}
