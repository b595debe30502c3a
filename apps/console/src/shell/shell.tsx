import { OverviewProvider, useLiveOverview } from '../app/overview.ts';
import { signedIn } from '../app/session.ts';
import { Notices } from '../design/notices.tsx';
import { Account, type AccountProps } from './account.tsx';
import { ChooseKey } from './choose-key.tsx';
import { Deployments } from './deployments.tsx';
import { KeyboardHelp } from './keyboard.tsx';
import { Mark } from './mark.tsx';
import { More } from './more.tsx';
import { Outlet } from './outlet.tsx';
import { PageLink } from './page-link.tsx';
import { pages } from './pages.tsx';
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
  return (
    <nav class="navigation" aria-label="Pages">
      <div class="brand">
        <Mark />
        <span>Switchyard</span>
      </div>
      <div class="deployments">
        <Deployments />
      </div>
      <ul>
        {pages.map(
          (page) =>
            page.icon && (
              <li key={page.name} class={page.isUnderMore ? 'under-more' : undefined}>
                <PageLink page={page} />
              </li>
            ),
        )}
        <More {...me} />
      </ul>
      <Account {...me} />
    </nav>
  );
}
