import type { CallOutcome, PlacedCall } from '@switchyard/agent/runtime';
import { isTerminal, type Message, type StreamResponse, type Task } from '@switchyard/protocol';
import { parse, streamResponseSchema } from '@switchyard/protocol/schemas';
import { type FeedItem, type Feeds, type Scope, TaskMissing, type Tasks } from '@switchyard/store';

export interface AwaitedCall {
  readonly call: PlacedCall;
  readonly signal: AbortSignal;
}

/** The feed item that is the outcome of a call; undefined: the signal was aborted first. */
export async function awaitOutcome(
  feeds: Pick<Feeds, 'follow'>,
  scope: Scope,
  { call, signal }: AwaitedCall,
): Promise<FeedItem | 'missing' | undefined> {
  const { after } = call;
  try {
    for await (const item of feeds.follow(scope, call.taskId, { after, signal })) {
      if (isOutcome(item, call)) return item;
    }
    return undefined;
  } catch (error) {
    if (error instanceof TaskMissing) return 'missing';
    throw error;
  }
}

/** Whether the item ends the wait. A question in answer to an earlier message does not, while this one still waits. */
function isOutcome({ state, answered }: FeedItem, { number = 0, skipsAuth = false }: PlacedCall): boolean {
  if (state === 'TASK_STATE_AUTH_REQUIRED') return !skipsAuth;
  return isTerminal(state) || (state === 'TASK_STATE_INPUT_REQUIRED' && answered >= number);
}

/** The current task without its history, and the plain message of `last`, if it is one. */
export async function readOutcome(
  tasks: Pick<Tasks, 'read'>,
  scope: Scope,
  { taskId, last }: { readonly taskId: string; readonly last?: FeedItem },
): Promise<CallOutcome | 'missing'> {
  const reading = await tasks.read(scope, taskId, { historyLength: 0 });
  if (reading?.task === undefined) return 'missing';
  const task: Task = JSON.parse(reading.task.toString());
  const reply = last?.isPlainMessage ? messageOf(last) : undefined;
  return { task, ...(reply && { reply }) };
}

function messageOf({ json }: FeedItem): Message | undefined {
  const event: StreamResponse = parse(streamResponseSchema, JSON.parse(json.toString()));
  return event.statusUpdate?.status.message;
}
