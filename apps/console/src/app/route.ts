import { computed, type ReadonlySignal, signal } from '@preact/signals';

/** Base of every path of the console. */
const base = '/console';

const place = signal(placeNow());

function placeNow(): URL {
  return new URL(location.href);
}

/** `/tasks/1234`, without the base and without a trailing slash. */
export const path: ReadonlySignal<string> = computed(() => pathIn(place.value));
export const query: ReadonlySignal<URLSearchParams> = computed(() => place.value.searchParams);

function pathIn({ pathname }: URL): string {
  const rest = pathname.startsWith(base) ? pathname.slice(base.length) : pathname;
  return rest.length > 1 && rest.endsWith('/') ? rest.slice(0, -1) : rest || '/';
}

/** The parts of the path, decoded: `['tasks', '1234']`. */
export const parts: ReadonlySignal<readonly string[]> = computed(() =>
  path.value.split('/').filter(Boolean).map(decoded),
);

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A malformed path from the address bar matches no id.
    return part;
  }
}

/** The URL of a page, for a link. @param changes parts of the query; undefined removes one */
export function href(to: string, changes: Readonly<Record<string, string | undefined>> = {}): string {
  const text = new URLSearchParams(definedIn(changes)).toString();
  return base + to + (text && `?${text}`);
}

/** The page of a task, below the list of tasks. */
export const taskPath = (id: string): string => `/tasks/${encodeURIComponent(id)}`;

/** Navigates. @param to with its query, without the base */
export function go(to: string, { replaces = false } = {}): void {
  visit(base + to, replaces);
}

/** Changes parts of the current query; undefined or '' removes one. While typing, history entries are replaced. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>, { replaces = true } = {}): void {
  const url = placeNow();
  for (const [name, value] of Object.entries(changes)) {
    if (value) url.searchParams.set(name, value);
    else url.searchParams.delete(name);
  }
  visit(url.pathname + url.search, replaces);
}

function visit(address: string, replaces: boolean): void {
  if (replaces) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  place.value = placeNow();
}

function definedIn(changes: Readonly<Record<string, string | undefined>>): [string, string][] {
  return Object.entries(changes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
}

/** Links within the console need no page load. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    place.value = placeNow();
  });
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || event.defaultPrevented || !isPlain(event) || link.target || link.hasAttribute('download')) return;
    if (link.origin !== location.origin || !link.pathname.startsWith(`${base}/`)) return;
    // A place within the page, such as the skip link's: the browser moves the focus there.
    if (link.hash && link.pathname === location.pathname && link.search === location.search) return;
    event.preventDefault();
    visit(link.pathname + link.search, false);
  });
}

function isPlain({ button, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): boolean {
  return button === 0 && !ctrlKey && !metaKey && !shiftKey && !altKey;
}
