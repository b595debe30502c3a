import type { Delivery, Subscriber, Timeline } from '@switchyard/operator-api';
import { Badge, type Colour } from '../../design/state.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { Ago } from '../../design/time.tsx';
import { Panel } from './panel.tsx';

/** The readers of the task's events, and their positions. @param seq of its last event */
export function Readers({ timeline, seq }: { readonly timeline: Timeline; readonly seq: number }) {
  const { subscribers, listeningProcesses, deliveries } = timeline;
  const processes = listeningProcesses === 1 ? 'one process listens' : `${listeningProcesses} processes listen`;
  return (
    <>
      <Panel title="Readers" about={processes} isPlain={subscribers.length > 0}>
        {subscribers.length === 0 ? (
          <p class="faint">No readers at this gateway.</p>
        ) : (
          <Table
            label="Readers"
            columns={subscriberColumns(seq)}
            rows={subscribers.map((subscriber, i) => ({ ...subscriber, i }))}
            keyOf={({ i }) => String(i)}
          />
        )}
      </Panel>
      {deliveries.length > 0 && (
        <Panel title="Webhooks" isPlain>
          <Table label="Webhooks" columns={deliveryColumns(seq)} rows={deliveries} keyOf={({ configId }) => configId} />
        </Panel>
      )}
    </>
  );
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

const colours: Readonly<Record<Delivery['state'], Colour>> = {
  idle: 'green',
  due: 'blue',
  sending: 'blue',
  waiting: 'amber',
  dead: 'red',
};

const deliveryColumns = (seq: number): Column<Delivery>[] => [
  { name: 'Receiver', cell: ({ origin }) => origin },
  {
    name: 'State',
    cell: ({ state, reason }) => (
      <>
        <Badge colour={colours[state]}>{state}</Badge> <span class="faint">{reason}</span>
      </>
    ),
  },
  { name: 'Delivered', cell: ({ deliveredSeq }) => `${deliveredSeq} of ${seq}`, isNumber: true },
  { name: 'Attempts', cell: ({ attempts }) => attempts, isNumber: true },
];
