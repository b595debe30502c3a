import { spentText, type TaskBudget, type TaskUsage } from '@switchyard/operator-api';
import { usdText } from '@switchyard/protocol';
import { href, taskPath } from '../../app/route.ts';
import { type Column, Table } from '../../design/table.tsx';
import { Panel } from './panel.tsx';

type Amounts = TaskUsage['total'];

interface Row extends Amounts {
  readonly key: string;
  readonly model?: string;
  readonly taskId?: string;
  readonly agent?: string;
}

/** What the task has used of models so far, and the tasks that its agent called. */
export function TaskUsagePanel({
  usage,
  budget,
}: {
  readonly usage: TaskUsage;
  readonly budget?: TaskBudget | undefined;
}) {
  const { own = [], calls = [] } = usage;
  const rows: Row[] = [
    ...own.map((one) => ({ key: `model ${one.model}`, ...one })),
    ...calls.map((one) => ({ key: `task ${one.taskId}`, ...one })),
  ];
  return (
    <Panel title="Usage of models" about={totalText(usage, budget)} isPlain>
      <Table label="Usage of models" columns={columns} rows={rows} keyOf={({ key }) => key} />
    </Panel>
  );
}

const number = (value: number | undefined): string => (value ?? 0).toLocaleString();

const columns: readonly Column<Row>[] = [
  { name: 'Model, or called task', cell: nameOf },
  { name: 'Cost', isNumber: true, cell: ({ microUsd = 0 }) => usdText(microUsd) },
  { name: 'Tokens in', isNumber: true, cell: ({ inputTokens }) => number(inputTokens) },
  { name: 'Tokens out', isNumber: true, cell: ({ outputTokens }) => number(outputTokens) },
  { name: 'Requests', isNumber: true, cell: ({ calls }) => number(calls) },
];

function nameOf({ model, taskId = '', agent }: Row) {
  if (model !== undefined) return model;
  if (taskId === 'other') return 'other tasks';
  return (
    <>
      {agent} <a href={href(taskPath(taskId))}>{taskId.slice(0, 8)}</a>
    </>
  );
}

function totalText(usage: TaskUsage, budget: TaskBudget | undefined): string {
  const { inputTokens, outputTokens, unpricedCalls = 0 } = usage.total;
  const without = unpricedCalls > 0 ? `, and ${number(unpricedCalls)} requests without a price` : '';
  return `${spentText(usage, budget)} for ${number(inputTokens)} + ${number(outputTokens)} tokens${without}`;
}
