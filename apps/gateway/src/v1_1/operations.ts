import {
  cancelTaskRequestSchema,
  getTaskRequestSchema,
  listTasksRequestSchema,
  sendMessageConfigurationSchema,
  sendMessageRequestSchema,
  subscribeToTaskRequestSchema,
} from '@switchyard/protocol/schemas';
import { taskWithGeneration } from '@switchyard/store';
import { z } from 'zod';
import type { Backend } from '../operations/backend.ts';
import { cancelTask } from '../operations/cancel-task.ts';
import { pageResult, readPage } from '../operations/list-tasks.ts';
import { streaming, unary } from '../operations/operation.ts';
import { bindOperations, definitions, type Operations } from '../operations/operations.ts';
import { sendMessage } from '../operations/send-message.ts';
import { sendStreamingMessage } from '../operations/send-streaming-message.ts';
import { subscribeToTask } from '../operations/subscribe-to-task.ts';
import { asResponse, asTask, withGenerations } from './generation.ts';
import { getTask } from './get-task.ts';

/** A protobuf int64, as far as JavaScript's numbers go: no task has so many events. */
const poll = {
  currentGeneration: z.number().int().exactOptional(),
  timelineLength: z
    .number()
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .exactOptional(),
};
const condition = { ifGenerationMatch: z.number().int().exactOptional() };

const sendSchema = sendMessageRequestSchema.extend({
  configuration: sendMessageConfigurationSchema.extend(condition).exactOptional(),
});

/** Those of 1.0, but where A2A 1.1 differs (docs/a2a-1-1.md). */
const previewDefinitions = {
  ...definitions,
  SendMessage: unary(sendSchema, async (backend, call, request) =>
    asResponse(await sendMessage(backend, call, request)),
  ),
  SendStreamingMessage: streaming(sendSchema, async (backend, call, request) =>
    withGenerations(await sendStreamingMessage(backend, call, request)),
  ),
  GetTask: unary(getTaskRequestSchema.extend(poll), getTask),
  ListTasks: unary(listTasksRequestSchema, async (backend, call, request) => {
    const { tasks, seqs, ...page } = await readPage(backend, call, request);
    return pageResult({ ...page, tasks: tasks.map((task, i) => taskWithGeneration(task, seqs[i] ?? 0).toString()) });
  }),
  // Nothing of the draft: the same condition, where a request is JSON.
  CancelTask: unary(cancelTaskRequestSchema.extend(condition), async (backend, call, request) =>
    asTask(await cancelTask(backend, call, request)),
  ),
  SubscribeToTask: streaming(subscribeToTaskRequestSchema, async (backend, call, request) =>
    withGenerations(await subscribeToTask(backend, call, request)),
  ),
};

/** The operations for requests of A2A 1.1. */
export function previewOperations(backend: Backend): Operations {
  return bindOperations(backend, previewDefinitions);
}
