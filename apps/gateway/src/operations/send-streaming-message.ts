import type { SendMessageRequest } from '@switchyard/protocol';
import { type Accepted, acceptMessage } from './accept-message.ts';
import type { Backend } from './backend.ts';
import type { Call } from './call.ts';
import { expectTask } from './expect-task.ts';
import type { StreamItem } from './operation.ts';
import { readTask } from './read-task.ts';
import { requireStreaming } from './require-streaming.ts';
import { type Beginning, taskThenEvents } from './task-then-events.ts';
import { toStreamItems } from './to-stream-items.ts';
import { untilAnswered } from './until-answered.ts';

/** A2A 3.1.2. Begins with the task; ends at its terminal event, or when the agent asks for input. */
export async function sendStreamingMessage(
  backend: Backend,
  call: Call,
  request: SendMessageRequest,
): Promise<AsyncIterable<StreamItem>> {
  requireStreaming(call);
  const expected = expectTask(backend, call, request);
  // Whatever becomes of the call, its signal aborts when it is over.
  call.signal.addEventListener('abort', () => expected?.[Symbol.dispose](), { once: true });
  const accepted = await acceptMessage(backend, call, request, expected);
  const { taskId, number, isNew } = accepted;
  const historyLength = request.configuration?.historyLength;
  const start = asAccepted(accepted) ?? (await readTask(backend, call, taskId, { historyLength }));
  const items = untilAnswered(taskThenEvents(backend, call, taskId, { ...start, expected }), number);
  return toStreamItems(items, { mayReply: isNew && call.agent.repliesWithMessage });
}

/** A new task needs no read: its feed goes on right behind the acceptance, so nothing can fall between the two. */
function asAccepted({ task, seq }: Accepted): Beginning | undefined {
  if (task === undefined) return undefined;
  return { seq, state: 'TASK_STATE_SUBMITTED', released: 0, task };
}
