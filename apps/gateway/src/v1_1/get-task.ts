import type { GetTaskRequest } from '@switchyard/protocol';
import { retainCopies } from '@switchyard/store';
import type { Call } from '../call/call.ts';
import { awaitItem } from '../operations/await-item.ts';
import type { Backend } from '../operations/backend.ts';
import { pollTask } from '../operations/get-task.ts';
import type { UnaryResult } from '../operations/operation.ts';
import { asTask } from './generation.ts';
import { Timeline } from './timeline.ts';

export interface PreviewGetTaskRequest extends GetTaskRequest {
  currentGeneration?: number;
  /** Of a pull request: see Timeline. */
  timelineLength?: number;
}

/** The end of an ETag: the same version is other JSON than in 1.0. */
const suffix = '-1.1';

/**
 * A2A 1.1, 3.2.7. With `currentGeneration` it waits for a later one: as long as the deployment lets polls wait, or
 * `Prefer: wait` says. It does not wait for a task that has ended.
 */
export async function getTask(backend: Backend, call: Call, request: PreviewGetTaskRequest): Promise<UnaryResult> {
  const { currentGeneration: after, timelineLength = 0, historyLength, ...task } = request;
  const hasTimeline = timelineLength > 0;
  const view = historyLength === undefined || hasTimeline ? task : { ...task, historyLength };
  const waitMs = after !== undefined && call.waitMs === 0 ? Number.POSITIVE_INFINITY : call.waitMs;
  const { version, ...result } = await pollTask(backend, call, view, { knownVersion: knownTo(call), waitMs, after });
  const shown = hasTimeline ? await withTimeline(backend, call, { request, result }) : result;
  return { ...asTask(shown), version: `${version}${suffix}` };
}

/** '' for a version of 1.0, which is none of these. */
function knownTo({ knownVersion }: Call): string | undefined {
  if (knownVersion === undefined) return undefined;
  return knownVersion.endsWith(suffix) ? knownVersion.slice(0, -suffix.length) : '';
}

/** Of a task with more there is no timeline. */
const MOST_EVENTS = 2_000;

/** Of a task: its JSON, the timeline's, and the text. */
const COPIES = 3;

async function withTimeline(
  backend: Backend,
  call: Call,
  { request, result }: { readonly request: PreviewGetTaskRequest; readonly result: UnaryResult },
): Promise<UnaryResult> {
  const { json, seq = 0 } = result;
  if (json === undefined) return result;
  using _copies = retainCopies(json, COPIES);
  const { id: taskId, timelineLength: entries = 0, historyLength: messages } = request;
  const timeline = new Timeline(JSON.parse(json.toString()));
  const until = (item: Parameters<Timeline['apply']>[0]): boolean => {
    timeline.apply(item);
    return item.seq >= seq;
  };
  const waitMs = backend.settings.maxPollWaitMs;
  if (seq <= MOST_EVENTS) await awaitItem(backend, call, { as: 'poll', taskId, after: { seq: 0 }, waitMs, until });
  return { seq, json: JSON.stringify(timeline.shown({ generation: seq, entries, messages })) };
}
