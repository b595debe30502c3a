import { z } from 'zod';
import { idSchema, listOf, shortTextSchema, timestampSchema } from '../objects/fields.ts';
import { taskSchema } from '../objects/task.ts';
import { taskStateSchema } from '../objects/task-state.ts';
import { countSchema, historyLengthSchema, pageSizeSchema, pageTokenSchema } from './paging.ts';

/** §3.1.4. */
export const listTasksRequestSchema = z.object({
  tenant: shortTextSchema.exactOptional(),
  contextId: idSchema.exactOptional(),
  status: taskStateSchema.exactOptional(),
  pageSize: pageSizeSchema.exactOptional(),
  pageToken: pageTokenSchema.exactOptional(),
  historyLength: historyLengthSchema.exactOptional(),
  statusTimestampAfter: timestampSchema.exactOptional(),
  includeArtifacts: z.boolean().exactOptional(),
});
export type ListTasksRequest = z.infer<typeof listTasksRequestSchema>;

/** §3.1.4. The defaults are those of ProtoJSON, which leaves out empty lists, empty strings and zeros. */
export const listTasksResponseSchema = z.object({
  tasks: listOf(taskSchema).default([]),
  nextPageToken: pageTokenSchema.default(''),
  pageSize: countSchema.default(0),
  totalSize: countSchema.default(0),
});
export type ListTasksResponse = z.infer<typeof listTasksResponseSchema>;
