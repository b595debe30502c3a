import { type Usage, type UsageRow, usageGroups, usageSchema } from '@switchyard/operator-api';
import { usdText } from '@switchyard/protocol';
import { useMemo } from 'preact/hooks';
import { useLive } from '../../app/live.ts';
import { query, setQuery } from '../../app/route.ts';
import { Page } from '../../design/page.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { Empty, NotShown, WithData } from '../../design/views.tsx';
import { DaysChart } from './days-chart.tsx';
import './page.css';

const DAYS = 30;
const tabs = { agent: 'Agents', tenant: 'Tenants', model: 'Models', day: 'Days' };

/** What the last thirty days have used of models. */
export function UsagePage() {
  const chosen = query.value.get('by');
  const by = usageGroups.find((group) => group === chosen) ?? 'agent';
  const from = useMemo(() => new Date(Date.now() - (DAYS - 1) * 86_400_000).toISOString().slice(0, 10), []);
  return <OneUsage key={by} by={by} from={from} />;
}

function OneUsage({ by, from }: Pick<Usage, 'by' | 'from'>) {
  const asked = useMemo(() => ({ by, from }), [by, from]);
  const live = useLive('/admin/usage', usageSchema, asked);
  const total = live.data.value?.total;
  return (
    <Page
      title="Usage"
      about={total && `${usdText(total.microUsd ?? 0)} in ${DAYS} days`}
      isLost={live.isLost}
      bar={
        <Tabs
          label="Usage by"
          tabs={tabs}
          selected={by}
          onSelect={(name) => setQuery({ by: name === 'agent' ? undefined : name })}
        />
      }
    >
      <WithData live={live}>{(usage) => (usage.totalSize > 0 ? <Sums usage={usage} /> : <NoUsage />)}</WithData>
    </Page>
  );
}

function Sums({ usage }: { readonly usage: Usage }) {
  const { by, from, to, rows, days, totalSize, total } = usage;
  return (
    <div class="usage">
      <DaysChart from={from} to={to} days={days} />
      <Table label={`Usage by ${by}`} columns={columnsOf(by)} rows={rows} keyOf={({ name }) => name} />
      <NotShown shown={rows.length} totalSize={totalSize} />
      {(total.unpricedCalls ?? 0) > 0 && (
        <p class="faint">
          {number(total.unpricedCalls)} of {number(total.calls)} requests went to models whose price is not known: their
          tokens are counted, and their cost is not. <code>MODEL_PRICES</code> sets prices.
        </p>
      )}
    </div>
  );
}

const number = (value: number | undefined): string => (value ?? 0).toLocaleString();

const titles = { agent: 'Agent', tenant: 'Tenant', model: 'Model', day: 'Day (UTC)' };

function columnsOf(by: Usage['by']): Column<UsageRow>[] {
  return [
    { name: titles[by], cell: ({ name }) => name || '–' },
    { name: 'Cost', isNumber: true, cell: ({ microUsd = 0 }) => usdText(microUsd) },
    { name: 'Tokens in', isNumber: true, cell: ({ inputTokens }) => number(inputTokens) },
    { name: 'Cached of them', isNumber: true, cell: ({ cachedTokens }) => number(cachedTokens) },
    { name: 'Tokens out', isNumber: true, cell: ({ outputTokens }) => number(outputTokens) },
    { name: 'Requests', isNumber: true, cell: ({ calls }) => number(calls) },
  ];
}

function NoUsage() {
  return (
    <Empty icon="usage" title="No model was used">
      Ready executors count their requests to models; an agent with a client of its own calls <code>turn.usage</code>.
    </Empty>
  );
}
