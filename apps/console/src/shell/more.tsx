import { useSignal } from '@preact/signals';
import { useOverview } from '../app/overview.ts';
import { parts } from '../app/route.ts';
import { signOut } from '../app/session.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Icon } from '../design/icon.tsx';
import type { AccountProps } from './account.tsx';
import { Deployments } from './deployments.tsx';
import { PageLink } from './page-link.tsx';
import { pages } from './pages.tsx';
import { ThemeButton } from './theme.tsx';

const others = pages.filter(({ isUnderMore }) => isUnderMore);

/** On a phone: an entry of the navigation that opens the pages, and the account, for which it has no place. */
export function More({ name, version }: AccountProps) {
  const isOpen = useSignal(false);
  const show = (opens: { readonly dialog: boolean }): void => {
    isOpen.value = opens.dialog;
  };
  const [current] = parts.value;
  const overview = useOverview().data.value;
  const counts = overview ? others.flatMap(({ countIn }) => countIn?.(overview) ?? []) : [];
  const waiting = counts.filter(({ count }) => count > 0);
  return (
    <li class="more">
      <button
        type="button"
        class={others.some((page) => page.name === current) ? 'current' : undefined}
        onClick={() => show({ dialog: true })}
      >
        <Icon name="more" />
        <span>More</span>
        {waiting.length > 0 && (
          <span class="dot" title={waiting.map(({ count, what }) => `${count} ${what}`).join(', ')} />
        )}
      </button>
      <Dialog title="More" isOpen={isOpen.value} onClose={() => show({ dialog: false })}>
        <nav class="more-pages" aria-label="More pages">
          {others.map((page) => (
            <PageLink key={page.name} page={page} onOpen={() => show({ dialog: false })} />
          ))}
        </nav>
        <Deployments />
        <dl class="facts">
          <dt>Signed in as</dt>
          <dd>{name}</dd>
          <dt>Version</dt>
          <dd>{version}</dd>
          <dt>Colours</dt>
          <dd>
            <ThemeButton />
          </dd>
        </dl>
        <Button icon="leave" onPress={() => signOut()}>
          Sign out
        </Button>
      </Dialog>
    </li>
  );
}
