import type { GetTaskRequest } from '@switchyard/protocol';
import {
  cancelTaskRequestSchema,
  getTaskRequestSchema,
  sendMessageConfigurationSchema,
  sendMessageRequestSchema,
  subscribeToTaskRequestSchema,
} from '@switchyard/protocol/schemas';
import { responseWithGeneration, taskWithGeneration } from '@switchyard/store';
import { z } from 'zod';
import type { Call } from '../call/call.ts';
import type { Backend } from '../operations/backend.ts';
import { cancelTask } from '../operations/cancel-task.ts';
import { pollTask, versionKnown } from '../operations/get-task.ts';
import { listedTasksSchema, pageResult, readTaskPage } from '../operations/list-tasks.ts';
import { mapItems } from '../operations/map-items.ts';
import { type StreamItem, streaming, type UnaryResult, unary } from '../operations/operation.ts';
import { bindOperations, definitions, type Operations } from '../operations/operations.ts';
import { sendMessage } from '../operations/send-message.ts';
import { sendStreamingMessage } from '../operations/send-streaming-message.ts';
import { subscribeToTask } from '../operations/subscribe-to-task.ts';

/** A protobuf int64, limited to JavaScript's integers: no task has so many events. */
const poll = { currentGeneration: z.number().int().exactOptional() };
const condition = { ifGenerationMatch: z.number().int().exactOptional() };

const sendSchema = sendMessageRequestSchema.extend({
  configuration: sendMessageConfigurationSchema.extend(condition).exactOptional(),
});

/** The operations of 1.0, except where A2A 1.1 differs (docs/a2a-1-1.md). */
const previewDefinitions = {
  ...definitions,
  SendMessage: unary(sendSchema, async (backend, call, request) =>
    asResponse(await sendMessage(backend, call, request)),
  ),
  SendStreamingMessage: streaming(sendSchema, async (backend, call, request) =>
    withGenerations(await sendStreamingMessage(backend, call, request)),
  ),
  GetTask: unary(getTaskRequestSchema.extend(poll), pollGeneration),
  ListTasks: unary(listedTasksSchema, async (backend, call, request) => {
    const { tasks, seqs, ...page } = await readTaskPage(backend, call, request);
    return pageResult({ ...page, tasks: tasks.map((task, i) => taskWithGeneration(task, seqs[i] ?? 0).toString()) });
  }),
  // Not part of the draft: the same condition for requests as JSON.
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

export interface PreviewGetTaskRequest extends GetTaskRequest {
  currentGeneration?: number;
}

/** End of an ETag: the same version has other JSON than in 1.0. */
const suffix = '-1.1';

/**
 * A2A 1.1, 3.2.7. With `currentGeneration` it waits for a later one: as long as settings allow, or `Prefer: wait` says.
 * It does not wait for an ended task.
 */
async function pollGeneration(backend: Backend, call: Call, request: PreviewGetTaskRequest): Promise<UnaryResult> {
  const { currentGeneration: after, ...view } = request;
  const waitMs = after !== undefined && call.waitMs === 0 ? Number.POSITIVE_INFINITY : call.waitMs;
  const knownVersion = versionKnown(call.knownVersion, suffix);
  const { version, ...result } = await pollTask(backend, call, view, { knownVersion, waitMs, after });
  return { ...asTask(result), version: `${version}${suffix}` };
}

/** An answer that is a task. */
function asTask({ json, seq = 0, ...result }: UnaryResult): UnaryResult {
  return { ...result, json: json && taskWithGeneration(json, seq) };
}

/** An answer that has a task. */
function asResponse({ json, seq = 0 }: UnaryResult): UnaryResult {
  return { json: json && responseWithGeneration(json, seq) };
}

function withGenerations(items: AsyncIterable<StreamItem>): AsyncIterable<StreamItem> {
  return mapItems(items, (item) => ({ ...item, json: responseWithGeneration(item.json, item.seq) }));
}
