import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { problemText } from '../app/api.ts';
import { go, parts, taskPath } from '../app/route.ts';
import { Empty, Loading, Problem } from '../design/views.tsx';
import { pages } from './pages.tsx';

type Loaded =
  | { readonly state: 'loading' }
  | { readonly state: 'loaded'; readonly name: string; readonly Shown: ComponentType }
  | { readonly state: 'failed'; readonly text: string };

/** The page of the path. The previous page stays until the next one is loaded. */
export function Outlet() {
  const loaded = useSignal<Loaded>({ state: 'loading' });
  const [name, id] = parts.value;
  const isOldAddress = name === 'task' && id !== undefined;
  useEffect(() => {
    if (isOldAddress) go(taskPath(id) + location.search, { replaces: true });
  }, [isOldAddress, id]);
  const page = pages.find((each) => each.name === (name === 'tasks' && id !== undefined ? 'task' : name));
  useEffect(() => {
    let isWanted = true;
    page
      ?.load()
      .then((Shown): Loaded => ({ state: 'loaded', name: page.name, Shown }))
      .catch((error): Loaded => ({ state: 'failed', text: problemText(error) }))
      .then((next) => {
        if (!isWanted) return;
        loaded.value = next;
        document.title = `${page.title} · Switchyard`;
        performance.mark('interactive');
      });
    return () => {
      isWanted = false;
    };
  }, [page]);
  if (!page) return <Empty icon="search" title="There is no such page" />;
  const { value } = loaded;
  if (value.state === 'loading') return <Loading />;
  if (value.state === 'failed') return <Problem text={value.text} />;
  return <value.Shown key={value.name} />;
}
