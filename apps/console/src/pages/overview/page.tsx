import type { Overview } from '@switchyard/operator-api';
import { useOverview } from '../../app/overview.ts';
import { Icon } from '../../design/icon.tsx';
import { Page } from '../../design/page.tsx';
import { WithData } from '../../design/views.tsx';
import { FailuresPanel } from './failures.tsx';
import { Figures } from './figures.tsx';
import { FilesPanel } from './files.tsx';
import { LimitsPanel } from './limits.tsx';
import { TroublesPanel } from './troubles.tsx';
import { verdictOf } from './verdict.ts';
import { WaitingPanel } from './waiting.tsx';
import './page.css';

/** Whether all is well, in five seconds, and what to open if it is not. */
export function OverviewPage() {
  const live = useOverview();
  const title = live.data.value && verdictOf(live.data.value).title;
  return (
    <Page title="Overview" tab={title} isLost={live.isLost}>
      <WithData live={live}>
        {(overview) => (
          <div class="overview">
            <VerdictLine overview={overview} />
            <Figures overview={overview} />
            <TroublesPanel overview={overview} />
            <LimitsPanel overview={overview} />
            <div class="overview-pair">
              <FailuresPanel failures={overview.failures} />
              <WaitingPanel overview={overview} />
            </div>
            <FilesPanel />
          </div>
        )}
      </WithData>
    </Page>
  );
}

function VerdictLine({ overview }: { readonly overview: Overview }) {
  const { colour, title, text } = verdictOf(overview);
  return (
    <section class={`verdict ${colour}`} aria-live="polite" aria-label="Whether all is well">
      <Icon name={colour === 'green' ? 'check' : 'warning'} size={22} />
      <div>
        <h2>{title}</h2>
        <p>{text}</p>
      </div>
    </section>
  );
}
