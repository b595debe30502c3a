import { setTimeout as delay } from 'node:timers/promises';
import { time } from '../../options.ts';
import type { TaskReading } from '../client/a2a-client.ts';
import type { Outcome } from '../client/outcome.ts';
import { defaultText, noteTask, onArrivals, operationOf } from './messages.ts';
import { defineProfile, type Load } from './profile.ts';

/** From the arrival of a client until it sees that its task has ended. */
const untilSeen = 'task, until a poll sees its end';
/** Each time nothing has changed the next wait is so much longer. */
const GROWTH = 1.5;
/** Our own agent works for a while, so that there is something to poll for. */
const ownText = 'work 300';

const options = {
  pollFromMs: time({ what: 'the first wait between polls', fallback: '100ms' }, '1ms', '1m'),
  pollToMs: time({ what: 'the longest', fallback: '2s' }, '1ms', '5m'),
};

interface Patience {
  readonly pollFromMs: number;
  readonly pollToMs: number;
}

/** Clients that send, do not wait, and ask again and again, less and less often. */
export const pollingHerd = defineProfile({
  name: 'polling-herd',
  summary: 'clients that send with returnImmediately and poll GetTask until the task has ended',
  defaults: { rate: '50', connections: '200' },
  options,
  canWarmUp: true,
  wantsVersions: true,
  primary: () => 'GetTask',
  contradictions: (_, { pollFromMs, pollToMs }) =>
    pollFromMs <= pollToMs ? [] : ['--poll-to must not be shorter than --poll-from'],
  async run(load, patience) {
    await onArrivals(load, { act: (dueAt) => oneClient(load, patience, dueAt) });
    return {};
  },
});

async function oneClient(load: Load, patience: Patience, dueAt: number): Promise<void> {
  load.recorder.began();
  await sendAndPoll(load, patience, dueAt);
  load.recorder.left();
}

async function sendAndPoll(load: Load, patience: Patience, dueAt: number): Promise<void> {
  const { recorder, client, options: common } = load;
  const text = common.text ?? (load.isOwnAgent ? ownText : defaultText);
  const sent = noteTask(load, await client.send(text, true, dueAt));
  recorder.ended(operationOf('immediate'), sent, performance.now() - dueAt);
  if (!sent.ok || !('task' in sent.value)) return;
  const { task } = sent.value;
  const isSeen = load.tasks.seen(task) || (await pollToEnd(load, patience, task.id));
  if (isSeen) recorder.took(untilSeen, performance.now() - dueAt);
}

/** @returns whether it saw the end before the time was over */
async function pollToEnd(load: Load, { pollFromMs, pollToMs }: Patience, taskId: string): Promise<boolean> {
  let waitMs = pollFromMs;
  let etag: string | undefined;
  while (await nap(load, waitMs * (0.75 + load.random.next() / 2))) {
    const reading = await poll(load, taskId, etag);
    if (reading.ok && reading.value.task && load.tasks.seen(reading.value.task)) return true;
    const hasNews = reading.ok && reading.value.task !== undefined && reading.value.etag !== undefined;
    etag = reading.ok ? reading.value.etag : etag;
    waitMs = hasNews ? pollFromMs : Math.min(pollToMs, waitMs * GROWTH);
    if (!reading.ok) waitMs = Math.max(waitMs, Math.min(pollToMs, reading.failure.retryAfterMs ?? 0));
  }
  return false;
}

async function poll(load: Load, taskId: string, etag: string | undefined): Promise<Outcome<TaskReading>> {
  const { recorder, client } = load;
  const dueAt = performance.now();
  const reading = await client.getTask(taskId, etag, dueAt);
  const ms = performance.now() - dueAt;
  recorder.ended('GetTask', reading, ms);
  if (reading.ok && !reading.value.task) recorder.took('GetTask, unchanged (304)', ms);
  return reading;
}

/** @returns false when the time is over */
async function nap({ settled }: Load, ms: number): Promise<boolean> {
  await delay(ms, undefined, { signal: settled }).catch(() => undefined); // being woken is no error
  return !settled.aborted;
}
