import type { Row } from '../measure/row.ts';
import { accessRows } from './access.ts';
import { getTaskRows } from './get-task.ts';
import { curveRows, drainRow, sendRows } from './send.ts';
import { storeRows } from './store.ts';
import { streamRows } from './streams.ts';

/** Through a gateway, whichever runs there. */
export const wireRows: readonly Row[] = [...sendRows, drainRow, ...getTaskRows, ...streamRows, ...curveRows];

/** Every row of the table, in its order. */
export const rows: readonly Row[] = [...wireRows, ...accessRows, ...storeRows];
