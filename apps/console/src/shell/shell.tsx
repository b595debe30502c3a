import { OverviewProvider, useLiveOverview, useOverview } from '../app/overview.ts';
import { href, parts } from '../app/route.ts';
import { signedIn } from '../app/session.ts';
import { Icon } from '../design/icon.tsx';
import { Notices } from '../design/notices.tsx';
import { Account, AccountEntry, type AccountProps } from './account.tsx';
import { ChooseKey } from './choose-key.tsx';
import { KeyboardHelp } from './keyboard.tsx';
import { Mark } from './mark.tsx';
import { Outlet } from './outlet.tsx';
import { type PageEntry, pages } from './pages.tsx';
import { SignIn } from './sign-in.tsx';
import './shell.css';

/** The whole page: the navigation and the page of the path, or the sign-in form. */
export function Shell() {
  const { value } = signedIn;
  if (value.state === 'asking') return null;
  if (value.state === 'choosing') return <ChooseKey choice={value.choice} />;
  if (value.state === 'signed-out') return <SignIn problem={value.problem} />;
  return <SignedIn name={value.session.me.name} version={value.session.me.version} />;
}

function SignedIn(me: AccountProps) {
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

function Navigation(me: AccountProps) {
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
        <AccountEntry {...me} />
      </ul>
      <Account {...me} />
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
