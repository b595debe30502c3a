import {
  answerSchema,
  eventSchema,
  rerunSchema,
  type StartedTask,
  type TaskDetail,
  type TaskPage,
} from '@switchyard/operator-api';
import {
  type AnswerResult,
  type Ops,
  type RerunResult,
  type TaskSearch,
  type TaskSearchPage,
  TextSearchRefused,
} from '@switchyard/operators';
import { A2AError, invalidParams } from '@switchyard/protocol';
import { partSchema } from '@switchyard/protocol/schemas';
import { principalKey } from '@switchyard/store';
import { z } from 'zod';
import { keepPartsIn } from '../files/keep-files.ts';
import { fileNotFound } from '../files/tus-uploads.ts';
import { taskIsLive } from '../http/serve-deletion.ts';
import { checkOf, errorOf, eventName, givenState } from '../http/serve-events.ts';
import { taskNotFound } from '../operations/backend.ts';
import { taskHasEnded } from '../operations/cancel-task.ts';
import { live } from './live.ts';
import { operatorName } from './operators.ts';
import { noParameters, taskParameters, taskSearchParameters } from './parameters.ts';
import {
  type AdminRoute,
  adminAction,
  adminRoute,
  EventsAnswer,
  FileAnswer,
  partOfPath,
  requirePageToken,
} from './route.ts';

/** Tasks of all principals: search, and read by id. */
export const taskRoutes = [
  live(
    adminRoute(['get', '/admin/tasks'], taskSearchParameters, async ({ ops }, { parameters }): Promise<TaskPage> => {
      const { state: states, contents: hasText, ...rest } = parameters;
      const { tasks, ...page } = await requirePageToken(() => searchTasks(ops, { ...rest, states, hasText }));
      return { tasks: [...tasks], ...page };
    }),
  ),
  live(
    adminRoute(
      ['get', '/admin/tasks/:id'],
      taskParameters,
      async ({ ops, feeds }, { id, parameters }): Promise<TaskDetail> => {
        const found = await ops.tasks.detail(known(id), {
          hasTimeline: parameters.timeline,
          hasContents: parameters.contents,
        });
        if (!found) throw taskNotFound(id);
        const { timeline, ...rest } = found;
        const subscribers = feeds.readersOf(id);
        const detail = timeline === undefined ? rest : { ...rest, timeline: { ...timeline, subscribers } };
        const task = parameters.contents ? await ops.tasks.contents(id) : undefined;
        return task === undefined ? detail : { ...detail, task: JSON.parse(task) };
      },
    ),
  ),
  adminAction(['post', '/admin/tasks/:id\\:cancel'], async ({ ops, schedules }, { id }) => {
    const verdict = await ops.tasks.cancel(known(id));
    if (verdict === 'missing') throw taskNotFound(id);
    if (verdict === 'terminal') throw taskHasEnded(id, await schedules.read(id));
    return recordOf(ops, id);
  }),
  adminAction(['delete', '/admin/tasks/:id'], async ({ ops }, { id }) => {
    const verdict = await ops.tasks.delete(known(id));
    if (verdict === 'missing') throw taskNotFound(id);
    if (verdict === 'live') throw taskIsLive(id);
    return undefined;
  }),
];

/** @throws {A2AError} InvalidParams: a text cannot be searched */
async function searchTasks(ops: Ops, search: TaskSearch): Promise<TaskSearchPage> {
  try {
    return await ops.searchTasks(search);
  } catch (error) {
    if (!(error instanceof TextSearchRefused)) throw error;
    throw invalidParams([{ field: 'text', description: error.message }]);
  }
}

async function recordOf(ops: Ops, id: string): Promise<object> {
  const record = await ops.tasks.record(known(id));
  if (!record) throw taskNotFound(id);
  return record;
}

/** Ids of tasks are UUIDs; any other text could name another key. @throws {A2AError} TaskNotFound */
function known(id: string): string {
  if (!/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(id)) throw taskNotFound(id.slice(0, 64));
  return id;
}

const answer = answerSchema.extend({ parts: z.array(partSchema).min(1) });

/** An operator's actions on a task, except canceling. */
export const taskActionRoutes: readonly AdminRoute[] = [
  adminRoute(
    ['get', '/admin/tasks/:id/events'],
    noParameters,
    async ({ ops, feeds }, { id, after }) => {
      const scope = await ops.tasks.scopeOf(id);
      if (!scope) throw taskNotFound(id.slice(0, 64));
      return new EventsAnswer((signal) => feeds.follow(scope, id, { as: 'operator', after, signal }));
    },
    // Events contain texts of clients and agents.
    { what: 'admin' },
  ),
  {
    verb: 'get',
    path: '/admin/tasks/:id/files/:fileId',
    what: 'admin',
    run: async ({ backend: { ops, files } }, req) => {
      const [id, fileId] = [partOfPath(req, 'id'), partOfPath(req, 'fileId')];
      const scope = await ops.tasks.scopeOf(known(id));
      if (!scope) throw taskNotFound(id);
      const file = await files?.open(principalKey(scope.principal), fileId);
      if (!file) throw fileNotFound(fileId);
      return { answer: new FileAnswer(file) };
    },
  },
  adminRoute(['post', '/admin/tasks/:id\\:answer'], answer, async ({ ops, files }, { id, parameters, operator }) => {
    const { messageId, parts } = parameters;
    const from = { operator: operatorName(operator), keepFiles: keepPartsIn(files) };
    requireAccepted(id, await ops.tasks.answer(id, { messageId, parts, ...from }));
    return undefined;
  }),
  adminRoute(
    ['post', '/admin/tasks/:id\\:event'],
    eventSchema,
    async ({ ops }, { id, parameters }) => {
      const { data = {}, id: eventId } = parameters;
      const name = eventName(parameters.name);
      const event = { name, data: JSON.stringify(data), id: eventId };
      const giving = await ops.tasks.giveEvent(known(id), event, checkOf(data));
      const error = errorOf(giving, { taskId: id, name });
      if (error) throw error;
      return { event: name, state: givenState(giving) };
    },
    { what: 'event' },
  ),
];

/** @throws {A2AError} TaskNotFound, UnsupportedOperation, Conflict */
function requireAccepted(id: string, result: AnswerResult): void {
  if (result.verdict === 'accepted') return;
  if (result.verdict === 'missing') throw taskNotFound(id.slice(0, 64));
  const metadata = { taskId: id };
  if (result.verdict === 'not-waiting')
    throw new A2AError('UnsupportedOperation', 'The task does not wait for an answer', { metadata });
  throw new A2AError('Conflict', 'The answer cannot be accepted', { metadata: { why: result.why } });
}

const requestSchema = rerunSchema.extend({ parts: z.array(partSchema).min(1).optional() });

/** Reruns an ended task as a new one. */
export const rerunRoutes: readonly AdminRoute[] = [
  adminRoute(
    ['post', '/admin/tasks/:id\\:rerun'],
    requestSchema,
    async ({ ops, files }, { id, parameters, operator }): Promise<StartedTask> => {
      const { messageId, parts, fromStep } = parameters;
      const from = { operator: operatorName(operator), keepFiles: keepPartsIn(files) };
      const request = { messageId, parts, fromStep, ...from };
      return startedTask(id, await ops.tasks.rerun(id, request));
    },
  ),
];

/** @throws {A2AError} TaskNotFound, UnsupportedOperation, InvalidParams, Conflict */
function startedTask(id: string, result: RerunResult): StartedTask {
  const metadata = { taskId: id };
  switch (result.verdict) {
    case 'started':
      return { taskId: result.taskId };
    case 'missing':
      throw taskNotFound(id.slice(0, 64));
    case 'live':
      throw new A2AError('UnsupportedOperation', 'The task has not ended: cancel it first', { metadata });
    case 'unknown-step':
      throw invalidParams([{ field: 'fromStep', description: 'is not a step of this task with a stored result' }]);
    case 'refused':
      throw new A2AError('Conflict', 'The message cannot be accepted again', { metadata: { why: result.why } });
  }
}
