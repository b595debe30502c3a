import { z } from 'zod';
import { call } from '../../app/api.ts';
import { newMessageId } from '../../app/message-id.ts';
import type { BulkAction } from '../../design/bulk.tsx';

const any = z.unknown();
const pathOf = (taskId: string): string => `/admin/tasks/${encodeURIComponent(taskId)}`;

/** What an operator can do with several tasks at once. */
export const taskActions: readonly BulkAction[] = [
  {
    name: 'Cancel',
    effect: 'those that have not ended are canceled; the others are refused.',
    isDanger: true,
    run: (id) => call(`${pathOf(id)}:cancel`, any, { method: 'POST' }),
  },
  {
    name: 'Run again',
    effect: 'those that have ended run again from their beginning, as new tasks; the others are refused.',
    run: (id) => call(`${pathOf(id)}:rerun`, any, { method: 'POST', body: { messageId: newMessageId() } }),
  },
  {
    name: 'Delete',
    effect: 'those that have ended are deleted for good, with their contents; the others are refused.',
    isDanger: true,
    run: (id) => call(pathOf(id), any, { method: 'DELETE' }),
  },
];
