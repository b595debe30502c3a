import type { Row } from '../measure.ts';
import { getTaskRows } from './get-task.ts';
import { idleFleetRow } from './idle-fleet.ts';
import { runningTurnRows } from './running-turns.ts';
import { accessRows, curveRows, messageRows } from './send.ts';
import { storeRows } from './store.ts';
import { streamRows } from './streams.ts';
import { taskCostRows } from './task-cost.ts';

/** Rows that measure through a gateway. */
export const wireRows: readonly Row[] = [...messageRows, ...getTaskRows, ...streamRows, ...curveRows];

/** Every row, in the order of the table. */
export const rows: readonly Row[] = [
  ...wireRows,
  ...accessRows,
  ...taskCostRows,
  ...storeRows,
  ...runningTurnRows,
  idleFleetRow,
];
