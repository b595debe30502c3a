import { pageOf, type WorkerReading, workerReadingSchema } from '@switchyard/operator-api';
import { z } from 'zod';
import { call } from '../../app/api.ts';
import { useLive } from '../../app/live.ts';
import { href, taskPath } from '../../app/route.ts';
import { Button } from '../../design/button.tsx';
import { Id, shortId } from '../../design/id.tsx';
import { notify } from '../../design/notices.tsx';
import { Badge, type Colour, Tag } from '../../design/state.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { Ago } from '../../design/time.tsx';
import { NotShown, WithData } from '../../design/views.tsx';

const workerPageSchema = pageOf('workers', workerReadingSchema);

const looks: Readonly<Record<WorkerReading['state'], readonly [Colour, string]>> = {
  working: ['green', 'Working'],
  draining: ['amber', 'Draining'],
  drained: ['gray', 'Drained'],
  silent: ['red', 'Silent'],
};

const columns: readonly Column<WorkerReading>[] = [
  // First, because a phone shows only two columns.
  { name: 'State', cell: ({ state }) => <Badge colour={looks[state][0]}>{looks[state][1]}</Badge> },
  { name: 'Worker', cell: ({ id }) => <Id id={id} length={32} /> },
  { name: 'Agents', cell: ({ agents }) => <AgentTags agents={agents} /> },
  { name: 'Turns', cell: ({ turns }) => <Turns turns={turns} /> },
  { name: 'Version', cell: ({ version }) => version ?? '' },
  { name: 'Last report', cell: ({ lastHeartbeat }) => <Ago at={lastHeartbeat} />, isNumber: true },
  { name: 'Up', cell: ({ since }) => <Ago at={since} />, isNumber: true },
  { name: '', cell: (worker) => <DrainButton {...worker} />, isNumber: true },
];

/** The workers, from their reports. @param agent only workers of this agent */
export function Workers({ agent }: { readonly agent?: string }) {
  const live = useLive('/admin/workers', workerPageSchema, { pageSize: 100, agent });
  return (
    <section class="panel workers">
      <div class="panel-head">
        <h2>Workers</h2>
      </div>
      <WithData live={live}>
        {({ workers, totalSize }) => (
          <>
            <WorkerTable workers={workers} />
            <NotShown shown={workers.length} totalSize={totalSize} />
          </>
        )}
      </WithData>
    </section>
  );
}

function WorkerTable({ workers }: { readonly workers: readonly WorkerReading[] }) {
  if (workers.length === 0) return <p class="panel-body soft">No worker runs: messages wait for one.</p>;
  return <Table label="Workers" columns={columns} rows={workers} keyOf={({ id }) => id} />;
}

function AgentTags({ agents }: { readonly agents: readonly string[] }) {
  return (
    <span class="row" title={agents.join(', ')}>
      {agents.slice(0, 3).map((id) => (
        <Tag key={id}>{id}</Tag>
      ))}
      {agents.length > 3 && <span class="faint">and {agents.length - 3} more</span>}
    </span>
  );
}

function Turns({ turns }: Pick<WorkerReading, 'turns'>) {
  return (
    <span class="row">
      {turns.slice(0, 2).map(({ taskId }) => (
        <a key={taskId} class="mono" href={href(taskPath(taskId))}>
          {shortId(taskId)}
        </a>
      ))}
      {turns.length > 2 && <span class="faint">and {turns.length - 2} more</span>}
    </span>
  );
}

function DrainButton({ id, state, drain }: WorkerReading) {
  if (state === 'silent') return null;
  const isOrdered = drain !== undefined;
  const order = async (): Promise<void> => {
    await call(`/admin/workers/${encodeURIComponent(id)}:${isOrdered ? 'undrain' : 'drain'}`, z.unknown(), {
      method: 'POST',
    });
    notify(isOrdered ? 'It starts turns again' : 'It finishes its turns, and starts no more');
  };
  return (
    <Button kind="quiet" onPress={order} title={`${isOrdered ? 'Undrain' : 'Drain'} ${id}`}>
      {isOrdered ? 'Undrain' : 'Drain'}
    </Button>
  );
}
