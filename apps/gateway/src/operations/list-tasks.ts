import { invalidParams, type ListTasksRequest } from '@switchyard/protocol';
import { listTasksRequestSchema, timestampSchema } from '@switchyard/protocol/schemas';
import { InvalidPageToken, type TaskPage, type TaskQuery } from '@switchyard/store';
import type { Call } from '../call/call.ts';
import type { Backend } from './backend.ts';
import type { UnaryResult } from './operation.ts';

/** A2A 3.1.4: the default page size. */
const defaultPageSize = 50;

/** The name of `statusTimestampAfter` in drafts of 1.0, which clients in Go still send over HTTP+JSON. */
const olderName = 'lastUpdatedAfter';

/** Strict: a filter that is ignored, for example because it is misspelled, would be answered with too much. */
export const listedTasksSchema = listTasksRequestSchema
  .extend({ [olderName]: timestampSchema.exactOptional() })
  .strict();

interface ListedTasksRequest extends ListTasksRequest {
  readonly [olderName]?: string;
}

/** The caller's tasks, by status time, the latest first. */
export async function listTasks(backend: Backend, call: Call, request: ListedTasksRequest): Promise<UnaryResult> {
  return pageResult(await readTaskPage(backend, call, request));
}

export function pageResult({ tasks, nextPageToken, totalSize }: Omit<TaskPage, 'seqs'>): UnaryResult {
  // All fields are required (A2A 3.1.4): the token is "" on the last page, the size is that of this page.
  const rest = `"nextPageToken":${JSON.stringify(nextPageToken)},"pageSize":${tasks.length},"totalSize":${totalSize}`;
  return { json: `{"tasks":[${tasks.join(',')}],${rest}}` };
}

/** @throws {A2AError} InvalidParams */
function toQuery({
  status,
  pageSize = defaultPageSize,
  includeArtifacts = false,
  ...request
}: ListedTasksRequest): TaskQuery {
  const { contextId, pageToken, historyLength, [olderName]: olderAfter, statusTimestampAfter = olderAfter } = request;
  if (olderAfter !== undefined && olderAfter !== statusTimestampAfter)
    throw invalidParams([
      { field: olderName, description: 'is the older name of statusTimestampAfter: send only one' },
    ]);
  return { contextId, state: status, pageSize, pageToken, historyLength, statusTimestampAfter, includeArtifacts };
}

export async function readTaskPage(
  { tasks, alsoListed }: Backend,
  call: Call,
  request: ListedTasksRequest,
): Promise<TaskPage> {
  try {
    return await tasks.list(call.scope, toQuery(request), alsoListed);
  } catch (error) {
    if (!(error instanceof InvalidPageToken)) throw error;
    const violations = [{ field: 'pageToken', description: 'is not a page token of ListTasks' }];
    throw invalidParams(violations, error);
  }
}
