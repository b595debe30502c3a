import { useOverview } from '../app/overview.ts';
import { href, parts } from '../app/route.ts';
import { Icon } from '../design/icon.tsx';
import type { PageEntry } from './pages.tsx';

interface PageLinkProps {
  readonly page: PageEntry;
  readonly onOpen?: () => void;
}

/** A page in the navigation, with the number of what needs somebody there. */
export function PageLink({ page: { name, title, icon, countIn }, onOpen }: PageLinkProps) {
  const [current] = parts.value;
  const overview = useOverview().data.value;
  return (
    <a href={href(`/${name}`)} aria-current={name === current ? 'page' : undefined} onClick={onOpen}>
      {icon && <Icon name={icon} />}
      <span>{title}</span>
      {overview && countIn && <Count {...countIn(overview)} />}
    </a>
  );
}

function Count({ count, what, isUrgent = false }: ReturnType<NonNullable<PageEntry['countIn']>>) {
  if (count === 0) return null;
  return (
    <span class={isUrgent ? 'count red' : 'count'} title={`${count.toLocaleString()} ${what}`}>
      {count > 999 ? '999+' : count} <span class="unseen">{what}</span>
    </span>
  );
}
