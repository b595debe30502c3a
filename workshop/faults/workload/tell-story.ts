import { isTerminal, type Task } from '@switchyard/protocol';
import { until } from '../../../tests/support/until.ts';
import type { Fault } from '../report/tally.ts';
import { checkStory, compareWatched } from './check-story.ts';
import type { PushReceiver } from './push-receiver.ts';
import type { ResilientClient } from './resilient-client.ts';
import type { Story } from './story.ts';
import { type Watched, watchTask } from './watch-task.ts';

export interface Told {
  readonly faults: readonly Fault[];
  /** Streams that broke and were resumed. */
  readonly resumed: number;
}

/** Where pushes go, and who notes them. */
export interface Pushes {
  readonly url: string;
  readonly receiver: PushReceiver;
}

const END_WITHIN_MS = 90_000;

/** Plays the client of one story to its end, then holds the task against what it must be. Never throws. */
export async function tellStory(client: ResilientClient, story: Story, pushes?: Pushes): Promise<Told> {
  try {
    const { taskId, watched } = await play(client, story, pushes?.url);
    const task = await ended(client, taskId);
    const seen = await watched;
    const replayed = await watchTask(client, taskId);
    const unlike = seen ? compareWatched(seen, replayed) : [];
    const unpushed = story.isPushed ? await pushes?.receiver.problemsOf(taskId, replayed.events.size) : [];
    const pushFaults = (unpushed ?? []).map((what): Fault => ({ kind: 'pushes', what }));
    const faults = [...checkStory(story, task, replayed), ...unlike, ...pushFaults];
    return { faults, resumed: seen?.resumed ?? 0 };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
    return { faults: [{ kind: 'lost', what: `${story.kind} ${story.key}: ${error}${cause}` }], resumed: 0 };
  }
}

interface Played {
  readonly taskId: string;
  readonly watched: Promise<Watched> | undefined;
}

async function play(client: ResilientClient, story: Story, webhook?: string): Promise<Played> {
  let task: Task | undefined;
  let watched: Promise<Watched> | undefined;
  for (const [turn, text] of story.said.entries()) {
    const ids = task && { taskId: task.id, ...(task.contextId !== undefined && { contextId: task.contextId }) };
    const message = { messageId: `${story.key}-${turn}`, role: 'ROLE_USER' as const, parts: [{ text }], ...ids };
    // One that is asked back waits for the question; of the others the caller learns the end by other ways.
    task = await client.send(message, story.kind !== 'talk', story.isPushed && !task ? webhook : undefined);
    if (story.kind === 'talk' && turn < story.said.length - 1) task = await asked(client, task);
    if (story.isWatched) watched ??= watchTask(client, task.id);
  }
  const taskId = task?.id ?? '';
  if (story.isCanceled) await cancel(client, taskId);
  return { taskId, watched };
}

/** A blocking call answers the task as it is when its time is up, or when its gateway stops. */
function asked(client: ResilientClient, { id }: Task): Promise<Task> {
  return until(
    async () => {
      const task = await client.read(id);
      return task.status.state === 'TASK_STATE_INPUT_REQUIRED' && task;
    },
    { what: `${id} asks back`, timeoutMs: END_WITHIN_MS, everyMs: 50 },
  );
}

async function cancel(client: ResilientClient, taskId: string): Promise<void> {
  const isWorking = async (): Promise<boolean> => (await client.read(taskId)).status.state === 'TASK_STATE_WORKING';
  await until(isWorking, { what: `${taskId} works`, timeoutMs: END_WITHIN_MS, everyMs: 50 });
  await client.cancel(taskId);
}

function ended(client: ResilientClient, taskId: string): Promise<Task> {
  return until(
    async () => {
      const task = await client.read(taskId);
      return isTerminal(task.status.state) && task;
    },
    { what: `${taskId} ends`, timeoutMs: END_WITHIN_MS, everyMs: 100 },
  );
}
