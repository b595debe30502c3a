import type { Subscriber, Timeline } from '@switchyard/operator-api';
import { type Column, Table } from '../../design/table.tsx';
import { Ago } from '../../design/time.tsx';
import { Panel } from './panel.tsx';
import { Webhooks } from './webhooks.tsx';

/** Who reads the task's events, and its webhooks. @param seq of its last event */
export function Readers({ timeline, seq }: { readonly timeline: Timeline; readonly seq: number }) {
  const { subscribers, listeningProcesses, deliveries } = timeline;
  return (
    <>
      {deliveries.length > 0 && <Webhooks deliveries={deliveries} seq={seq} />}
      <Panel title="Who listens" isPlain={subscribers.length > 0}>
        {subscribers.length === 0 ? (
          <p class="faint">{listeningText(listeningProcesses)}</p>
        ) : (
          <Table
            label="Who listens"
            columns={subscriberColumns(seq)}
            rows={subscribers.map((subscriber, i) => ({ ...subscriber, i }))}
            keyOf={({ i }) => String(i)}
          />
        )}
      </Panel>
    </>
  );
}

function listeningText(processes: number): string {
  if (processes === 0) return 'Nobody listens.';
  return `Nobody listens at this gateway; ${processes === 1 ? 'another process does' : `${processes} other processes do`}.`;
}

const names: Readonly<Record<Subscriber['kind'], string>> = {
  stream: 'Stream',
  send: 'Waiting send',
  poll: 'Waiting poll',
  operator: 'Operator',
};

const subscriberColumns = (seq: number): Column<Subscriber>[] => [
  { name: 'Reader', cell: ({ kind }) => names[kind] },
  { name: 'At event', cell: (one) => `${one.seq} of ${seq}`, isNumber: true },
  { name: 'Behind', cell: ({ behind }) => behind, isNumber: true },
  { name: 'Reading since', cell: ({ since }) => <Ago at={since} />, isNumber: true },
];
