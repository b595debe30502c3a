import { type AgentReading, agentReadingSchema, pageOf } from '@switchyard/operator-api';
import { useLive } from '../../app/live.ts';
import { href } from '../../app/route.ts';
import { Page } from '../../design/page.tsx';
import { AgentState } from '../../design/state.tsx';
import { Empty, NotShown, WithData } from '../../design/views.tsx';
import { readCard } from './card.ts';
import { Workers } from './workers.tsx';

export const agentPageSchema = pageOf('agents', agentReadingSchema);
/** Maximum page size of the API. */
const query = { pageSize: 100 };

/** All agents with their health, and the workers that run them. */
export function AgentList() {
  const live = useLive('/admin/agents', agentPageSchema, query);
  return (
    <Page title="Agents" about={live.data.value?.totalSize.toLocaleString()} isLost={live.isLost}>
      <WithData live={live}>
        {({ agents, totalSize }) =>
          agents.length === 0 ? (
            <Empty icon="agents" title="No agents yet">
              A worker announces its agents when it starts: <code>switchyard worker agent.ts</code>
            </Empty>
          ) : (
            <>
              <ul class="agent-grid">
                {agents.map((agent) => (
                  <li key={agent.id}>
                    <AgentCardLink agent={agent} />
                  </li>
                ))}
              </ul>
              <NotShown shown={agents.length} totalSize={totalSize} />
            </>
          )
        }
      </WithData>
      <Workers />
    </Page>
  );
}

function AgentCardLink({ agent }: { readonly agent: AgentReading }) {
  const { id, name, version, workers, active, waiting, card, remoteProblem } = agent;
  return (
    <a class="agent-card panel" href={href(`/agents/${encodeURIComponent(id)}`)}>
      <div class="row">
        <h2 class="clip grow">{name}</h2>
        <AgentState agent={agent} />
      </div>
      <p class="agent-about soft">{remoteProblem?.text ?? readCard(card).description}</p>
      <dl class="agent-numbers">
        <Figure name="Workers" value={workers} />
        <Figure name="Running" value={active} />
        <Figure name="Waiting" value={waiting} />
      </dl>
      <div class="faint clip">
        {id} · version {version}
      </div>
    </a>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: number }) {
  return (
    <div>
      <dt class="faint">{name}</dt>
      <dd>{value.toLocaleString()}</dd>
    </div>
  );
}
