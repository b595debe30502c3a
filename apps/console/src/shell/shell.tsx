import { OverviewProvider, useLiveOverview, useOverview } from '../app/overview.ts';
import { href, parts } from '../app/route.ts';
import { signedIn, signOut } from '../app/session.ts';
import { IconButton } from '../design/button.tsx';
import { Icon } from '../design/icon.tsx';
import { Notices } from '../design/notices.tsx';
import { ChooseKey } from './choose-key.tsx';
import { KeyboardHelp } from './keyboard.tsx';
import { Mark } from './mark.tsx';
import { Outlet } from './outlet.tsx';
import { type PageEntry, pages } from './pages.tsx';
import { SignIn } from './sign-in.tsx';
import { ThemeButton } from './theme.tsx';
import './shell.css';

/** The whole page: the navigation and the page of the path, or the sign-in form. */
export function Shell() {
  const { value } = signedIn;
  if (value.state === 'asking') return null;
  if (value.state === 'choosing') return <ChooseKey choice={value.choice} />;
  if (value.state === 'signed-out') return <SignIn problem={value.problem} />;
  return <SignedIn name={value.session.me.name} version={value.session.me.version} />;
}

function SignedIn(me: { readonly name: string; readonly version: string }) {
  return (
    <OverviewProvider value={useLiveOverview()}>
      <div class="shell">
        <a class="skip" href="#main">
          Skip to content
        </a>
        <Navigation {...me} />
        <main id="main" tabIndex={-1}>
          <Outlet />
        </main>
        <Notices />
        <KeyboardHelp />
      </div>
    </OverviewProvider>
  );
}

function Navigation({ name, version }: { readonly name: string; readonly version: string }) {
  const [current] = parts.value;
  const overview = useOverview().data.value;
  return (
    <nav class="navigation" aria-label="Pages">
      <div class="brand">
        <Mark />
        <span>Switchyard</span>
      </div>
      <ul>
        {pages.map(
          ({ name: page, title, icon, countIn }) =>
            icon && (
              <li key={page}>
                <a href={href(`/${page}`)} aria-current={page === current ? 'page' : undefined}>
                  <Icon name={icon} />
                  <span>{title}</span>
                  {overview && countIn && <Count {...countIn(overview)} />}
                </a>
              </li>
            ),
        )}
      </ul>
      <div class="account">
        <div class="grow">
          <div class="clip">{name}</div>
          <div class="faint clip">version {version}</div>
        </div>
        <ThemeButton />
        <IconButton icon="leave" label="Sign out" onPress={() => signOut()} />
      </div>
    </nav>
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
