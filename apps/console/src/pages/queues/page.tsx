import { agentReadingSchema, pageOf } from '@switchyard/operator-api';
import { useLive } from '../../app/live.ts';
import { Page } from '../../design/page.tsx';
import { Empty, NotShown, WithData } from '../../design/views.tsx';
import { AgentsTable } from './agents-table.tsx';
import { Charts } from './charts.tsx';
import './page.css';

const agentsSchema = pageOf('agents', agentReadingSchema);
const query = { pageSize: 100 };

/** The waiting jobs of each agent, and the throughput. */
export function QueuesPage() {
  const live = useLive('/admin/agents', agentsSchema, query);
  const waiting = live.data.value?.agents.reduce((sum, agent) => sum + agent.waiting, 0);
  return (
    <Page
      title="Queues"
      about={waiting === undefined ? '' : `${waiting.toLocaleString()} waiting`}
      isLost={live.isLost}
    >
      <div class="queues">
        <Charts />
        <WithData live={live}>
          {({ agents, totalSize }) => (
            <>
              {agents.length > 0 ? <AgentsTable agents={agents} /> : <NoAgents />}
              <NotShown shown={agents.length} totalSize={totalSize} />
            </>
          )}
        </WithData>
      </div>
    </Page>
  );
}

function NoAgents() {
  return (
    <Empty icon="agents" title="No agents yet">
      A worker announces its agents when it starts: <code>npm start</code> runs one with examples.
    </Empty>
  );
}
