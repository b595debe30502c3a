import type { Row } from '../measure.ts';
import { getTaskRows } from './get-task.ts';
import { accessRows, curveRows, messageRows } from './send.ts';
import { storeRows } from './store.ts';
import { streamRows } from './streams.ts';

/** Through a gateway, whichever runs there. */
export const wireRows: readonly Row[] = [...messageRows, ...getTaskRows, ...streamRows, ...curveRows];

/** Every row of the table, in its order. */
export const rows: readonly Row[] = [...wireRows, ...accessRows, ...storeRows];
