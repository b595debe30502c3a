import type { Overview } from '@switchyard/operator-api';
import { href } from '../../app/route.ts';
import { Badge, type Colour } from '../../design/state.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { durationText } from '../../design/time-text.ts';
import { NotShown } from '../../design/views.tsx';

type Trouble = Overview['troubles'][number];

const kinds: Readonly<Record<Trouble['kind'], readonly [text: string, colour: Colour, what: string]>> = {
  'worker-silent': ['Worker silent', 'red', 'its worker does not report: end it, or start another'],
  'no-worker': ['No worker', 'red', 'no live worker runs it: start one'],
  paused: ['Paused', 'amber', 'an operator paused it: resume it'],
};

const columns: readonly Column<Trouble>[] = [
  {
    name: 'Agent',
    cell: ({ agent, name }) => <a href={href(`/agents/${encodeURIComponent(agent)}`, { tab: 'about' })}>{name}</a>,
  },
  { name: 'State', cell: ({ kind }) => <Badge colour={kinds[kind][1]}>{kinds[kind][0]}</Badge> },
  {
    name: 'Stuck tasks',
    isNumber: true,
    cell: ({ agent, kind, waiting, frozenTurns }) => (
      <a href={href('/tasks', { q: `is:stuck agent:${agent}` })}>
        {(frozenTurns + (kind === 'worker-silent' ? 0 : waiting)).toLocaleString()}
      </a>
    ),
  },
  {
    name: 'Oldest',
    isNumber: true,
    cell: ({ oldestWaitMs }) => (oldestWaitMs > 0 ? durationText(oldestWaitMs) : '–'),
  },
  { name: 'Why', cell: ({ kind }) => <span class="soft">{kinds[kind][2]}</span> },
];

/** The agents whose messages nobody works on. */
export function TroublesPanel({ overview: { troubles, troubledAgents } }: { readonly overview: Overview }) {
  if (troubles.length === 0) return null;
  return (
    <section class="panel troubles">
      <div class="panel-head">
        <h2>Agents in trouble</h2>
        <span class="grow" />
        <a href={href('/tasks', { q: 'is:stuck' })}>All stuck tasks</a>
      </div>
      <Table label="Agents in trouble" columns={columns} rows={troubles} keyOf={({ agent }) => agent} />
      <NotShown shown={troubles.length} totalSize={troubledAgents} />
    </section>
  );
}
