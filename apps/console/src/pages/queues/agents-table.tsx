import { useSignal } from '@preact/signals';
import { type AgentReading, agentReadingSchema, levelsText, tenantShareSchema } from '@switchyard/operator-api';
import { useEffect } from 'preact/hooks';
import { z } from 'zod';
import { call } from '../../app/api.ts';
import { href } from '../../app/route.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { notifyProblem } from '../../design/notices.tsx';
import { AgentState } from '../../design/state.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { durationText } from '../../design/time-text.ts';
import { Loading } from '../../design/views.tsx';

/** The queues of the agents; those with problems come first. */
export function AgentsTable({ agents }: { readonly agents: readonly AgentReading[] }) {
  const opened = useSignal<string | undefined>(undefined);
  const columns: readonly Column<AgentReading>[] = [
    { name: 'Agent', cell: ({ id, name }) => <AgentName id={id} name={name} /> },
    { name: 'State', cell: (agent) => <AgentState agent={agent} /> },
    { name: 'Waiting', isNumber: true, cell: (agent) => <Waiting agent={agent} /> },
    {
      name: 'Oldest',
      isNumber: true,
      cell: ({ oldestWaitMs }) => (oldestWaitMs > 0 ? durationText(oldestWaitMs) : '–'),
    },
    { name: 'Running', isNumber: true, cell: ({ active }) => count(active) },
    { name: 'Delayed', isNumber: true, cell: ({ delayed }) => count(delayed) },
    { name: 'Begun', isNumber: true, cell: ({ beganPerSecond }) => rate(beganPerSecond) },
    { name: 'Workers', isNumber: true, cell: ({ workers }) => count(workers) },
    {
      name: 'Tenants',
      cell: (agent) => (
        <Tenants
          agent={agent}
          onOpen={() => {
            opened.value = agent.id;
          }}
        />
      ),
    },
    { name: '', cell: (agent) => <PauseButton agent={agent} /> },
  ];
  const close = (): void => {
    opened.value = undefined;
  };
  return (
    <div class="panel">
      <Table label="Agents and their queues" columns={columns} rows={agents.toSorted(urgency)} keyOf={({ id }) => id} />
      <Dialog title={`Tenants that wait for ${opened.value}`} isOpen={opened.value !== undefined} onClose={close}>
        {opened.value !== undefined && <Shares agent={opened.value} />}
      </Dialog>
    </div>
  );
}

function urgency(a: AgentReading, b: AgentReading): number {
  return b.waiting - a.waiting || b.active - a.active || (a.id < b.id ? -1 : 1);
}

function AgentName({ id, name }: { readonly id: string; readonly name: string }) {
  return (
    <a class="agent-name" href={href(`/agents/${encodeURIComponent(id)}`)}>
      {name} <span class="faint mono">{id}</span>
    </a>
  );
}

function Waiting({ agent: { waiting, levels } }: { readonly agent: AgentReading }) {
  const byPriority = levelsText(levels);
  if (byPriority === undefined) return <>{count(waiting)}</>;
  return (
    <div class="levels">
      {count(waiting)}
      <div class="faint">{byPriority}</div>
    </div>
  );
}

/** Share of the waiting jobs that belong to the tenant with the most. */
function Tenants({ agent, onOpen }: { readonly agent: AgentReading; readonly onOpen: () => void }) {
  const { tenants, longestTenant, waiting, name } = agent;
  if (waiting === 0) return <span class="faint">–</span>;
  const share = Math.min(1, longestTenant / waiting);
  return (
    <button type="button" class="tenants" onClick={onOpen} title={`Tenants that wait for ${name}`}>
      <Bar share={share} /> {tenants > 1 ? `${tenants}, most ${percent(share)}` : '1'}
    </button>
  );
}

function Bar({ share }: { readonly share: number }) {
  return (
    <svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="bar-whole" width="100" height="6" rx="3" />
      <rect class="bar-part" width={100 * share} height="6" rx="3" />
    </svg>
  );
}

const sharesSchema = z.object({ tenants: z.array(tenantShareSchema) });

function Shares({ agent }: { readonly agent: string }) {
  const shares = useSignal<z.output<typeof sharesSchema>['tenants'] | undefined>(undefined);
  useEffect(() => {
    call(`/admin/agents/${encodeURIComponent(agent)}/tenants`, sharesSchema).then(({ tenants }) => {
      shares.value = tenants;
    }, notifyProblem);
  }, [agent]);
  if (!shares.value) return <Loading />;
  const total = shares.value.reduce((sum, { waiting }) => sum + waiting, 0);
  return (
    <>
      <p class="soft">Tenants are served in turn: one that sends more waits longer, the others do not.</p>
      <ul class="shares">
        {shares.value.map(({ tenant, waiting }) => (
          <li key={tenant}>
            <span class="clip">{tenant}</span>
            <Bar share={waiting / total} />
            <span class="number">{waiting.toLocaleString()}</span>
            <span class="number faint">{percent(waiting / total)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function PauseButton({ agent: { id, paused, name } }: { readonly agent: AgentReading }) {
  const change = async (): Promise<void> => {
    await call(`/admin/agents/${encodeURIComponent(id)}:${paused ? 'resume' : 'pause'}`, agentReadingSchema.partial(), {
      method: 'POST',
    });
  };
  return (
    <Button
      kind="quiet"
      icon={paused ? 'play' : 'pause'}
      title={paused ? `Workers process messages to ${name} again` : `Messages to ${name} are accepted, and wait`}
      onPress={change}
    >
      {paused ? 'Resume' : 'Pause'}
    </Button>
  );
}

const count = (value: number) => (value === 0 ? <span class="faint">0</span> : value.toLocaleString());
const rate = (value: number) => (value === 0 ? <span class="faint">0/s</span> : `${value.toFixed(1)}/s`);
const percent = (share: number): string => `${Math.round(100 * share)} %`;
