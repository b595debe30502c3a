import { invalidParams, type ListTasksRequest } from '@switchyard/protocol';
import { InvalidPageToken, type TaskPage, type TaskQuery } from '@switchyard/store';
import type { Call } from '../call/call.ts';
import type { Backend } from './backend.ts';
import type { UnaryResult } from './operation.ts';

/** A2A 3.1.4: the default page size. */
const defaultPageSize = 50;

/** The caller's tasks, by status time, the latest first. */
export async function listTasks(backend: Backend, call: Call, request: ListTasksRequest): Promise<UnaryResult> {
  return pageResult(await readPage(backend, call, request));
}

export function pageResult({ tasks, nextPageToken, totalSize }: Omit<TaskPage, 'seqs'>): UnaryResult {
  // All fields are required (A2A 3.1.4): the token is "" on the last page, the size is that of this page.
  const rest = `"nextPageToken":${JSON.stringify(nextPageToken)},"pageSize":${tasks.length},"totalSize":${totalSize}`;
  return { json: `{"tasks":[${tasks.join(',')}],${rest}}` };
}

function toQuery({
  status,
  pageSize = defaultPageSize,
  includeArtifacts = false,
  ...request
}: ListTasksRequest): TaskQuery {
  const { contextId, pageToken, historyLength, statusTimestampAfter } = request;
  return { contextId, state: status, pageSize, pageToken, historyLength, statusTimestampAfter, includeArtifacts };
}

export async function readPage({ tasks }: Backend, call: Call, request: ListTasksRequest): Promise<TaskPage> {
  try {
    return await tasks.list(call.scope, toQuery(request));
  } catch (error) {
    if (!(error instanceof InvalidPageToken)) throw error;
    const violations = [{ field: 'pageToken', description: 'is not a page token of ListTasks' }];
    throw invalidParams(violations, error);
  }
}
