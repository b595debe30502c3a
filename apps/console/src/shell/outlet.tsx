import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { go, parts, taskPath } from '../app/route.ts';
import { Empty, Loading } from '../design/views.tsx';
import { Boundary } from './boundary.tsx';
import { MissingFile, reloadIfUpgraded } from './missing-file.tsx';
import { type PageEntry, pages } from './pages.tsx';

/** Components of the pages that were visited. */
const loaded = new Map<string, ComponentType>();

/** The page of the path. A page that is left is gone at once: it would take the next page's path for its own. */
export function Outlet() {
  const [name, id] = parts.value;
  const isOldAddress = name === 'task' && id !== undefined;
  useEffect(() => {
    if (isOldAddress) go(taskPath(id) + location.search, { replaces: true });
  }, [isOldAddress, id]);
  const page = pages.find((each) => each.name === (name === 'tasks' && id !== undefined ? 'task' : name));
  if (!page) return <Empty icon="search" title="There is no such page" />;
  return (
    <Boundary key={page.name} place={`${page.name} ${id ?? ''}`}>
      <PageOf key={page.name} page={page} />
    </Boundary>
  );
}

function PageOf({ page }: { readonly page: PageEntry }) {
  const Shown = useSignal(loaded.get(page.name));
  const isMissing = useSignal(false);
  useEffect(() => {
    let isWanted = true;
    document.title = `${page.title} · Switchyard`;
    const load = async (): Promise<void> => {
      try {
        const found = loaded.get(page.name) ?? (await page.load());
        loaded.set(page.name, found);
        if (!isWanted) return;
        Shown.value = found;
        performance.mark('interactive');
      } catch {
        if (isWanted) isMissing.value = !(await reloadIfUpgraded());
      }
    };
    void load();
    return () => {
      isWanted = false;
    };
  }, [page]);
  if (isMissing.value) return <MissingFile />;
  return Shown.value ? <Shown.value /> : <Loading />;
}
