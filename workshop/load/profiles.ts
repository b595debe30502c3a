import { setTimeout as delay } from 'node:timers/promises';
import { number, oneOf, time } from '../options.ts';
import type { SendResult, TaskView } from './client.ts';
import { Failure, orFailure } from './connections.ts';
import { arrivals } from './open-model.ts';
import { defaultText, defineProfile, type Load, type Mode, modes, onArrivals, operationOf } from './profile.ts';
import { followStream } from './streams.ts';

/** How messages are sent, for profiles that support several ways. */
export const modeOption = oneOf(
  modes,
  'wait until the task ends, until it is accepted (returnImmediately), or read its stream',
  'blocking',
);

/** Sends one message, and counts its answer. @returns its failure, and the milliseconds since it was due */
export async function sendOne(load: Load, mode: Mode, dueAt: number) {
  const text = load.options.text ?? defaultText;
  const result = await orFailure<unknown>(
    mode === 'stream'
      ? followStream(load, text, { dueAt, timeoutFor: 'end' }).ended
      : load.client.send(text, mode === 'immediate', dueAt).then((sent) => noteTask(load, sent)),
  );
  const failure = result instanceof Failure ? result : undefined;
  const ms = performance.now() - dueAt;
  load.recorder.ended(operationOf(mode), failure, ms);
  return { failure, ms };
}

/** Counts the answer. @returns the task, if it is one */
function noteTask({ tasks }: Load, result: SendResult): TaskView | undefined {
  if ('task' in result) tasks.accepted(result.task);
  else tasks.repliedWithMessage();
  return 'task' in result ? result.task : undefined;
}

/** A constant rate. */
export const steady = defineProfile({
  name: 'steady',
  summary: 'messages at a constant rate',
  defaults: { rate: '100', connections: '200' },
  options: { mode: modeOption },
  canWarmUp: true,
  primary: ({ mode }) => operationOf(mode),
  async run(load, { mode }) {
    await onArrivals(load, { act: (dueAt) => sendOne(load, mode, dueAt) });
    return {};
  },
});

/** A low rate with bursts: how long the queue of a burst becomes, and how long it takes to drain. */
export const burst = defineProfile({
  name: 'burst',
  summary: 'few messages, with bursts of many',
  defaults: { rate: '50', connections: '500' },
  options: {
    mode: modeOption,
    peak: number('arrivals per second in a burst', '500', ['0.1', '50000']),
    burstEveryMs: time('time between the starts of two bursts', '10s', ['100ms', '60m']),
    burstLengthMs: time('length of each burst', '2s', ['10ms', '60m']),
  },
  canWarmUp: true,
  primary: ({ mode }) => operationOf(mode),
  contradictions: ({ durationMs, rate, peak, burstEveryMs, burstLengthMs }) => [
    ...(burstLengthMs < burstEveryMs ? [] : ['--burst-length must be shorter than --burst-every']),
    ...(burstEveryMs <= durationMs ? [] : ['--burst-every must not be longer than --duration, or there is no burst']),
    ...(peak > rate ? [] : ['--peak must be higher than --rate']),
  ],
  async run(load, { mode, peak, burstEveryMs, burstLengthMs }) {
    const { options: common, random, recorder } = load;
    const start = performance.now();
    const isInBurst = (ms: number): boolean => ms % burstEveryMs >= burstEveryMs - burstLengthMs;
    const times = arrivals({ rateAt: (ms) => (isInBurst(ms) ? peak : common.rate), peak, random });
    const act = async (dueAt: number): Promise<void> => {
      const { failure, ms } = await sendOne(load, mode, dueAt);
      if (!failure) recorder.took(isInBurst(dueAt - start) ? 'sent in a burst' : 'sent between bursts', ms);
    };
    await onArrivals(load, { times, act });
    return {};
  },
});

/** From the arrival of a client until it sees the end of its task. */
const untilSeen = 'task, until a poll sees its end';
/** Factor by which the interval grows after a poll without a change. */
const GROWTH = 1.5;
/** Our own agent works for a while, so that polls are needed. */
const ownText = 'work 300';

interface Polling {
  readonly pollFromMs: number;
  readonly pollToMs: number;
}

/** Clients that send, do not wait, and poll at growing intervals. */
export const pollingHerd = defineProfile({
  name: 'polling-herd',
  summary: 'clients that send with returnImmediately and poll GetTask until the task has ended',
  defaults: { rate: '50', connections: '200' },
  options: {
    pollFromMs: time('first wait between polls', '100ms', ['1ms', '1m']),
    pollToMs: time('longest wait between polls', '2s', ['1ms', '5m']),
  },
  canWarmUp: true,
  wantsVersions: true,
  primary: () => 'GetTask',
  contradictions: ({ pollFromMs, pollToMs }) =>
    pollFromMs <= pollToMs ? [] : ['--poll-to must not be shorter than --poll-from'],
  async run(load, polling) {
    await onArrivals(load, { act: (dueAt) => sendAndPoll(load, polling, dueAt) });
    return {};
  },
});

async function sendAndPoll(load: Load, polling: Polling, dueAt: number): Promise<void> {
  const { recorder, client, options, tasks } = load;
  const text = options.text ?? (load.isOwnAgent ? ownText : defaultText);
  const task = await orFailure(client.send(text, true, dueAt).then((result) => noteTask(load, result)));
  const failure = task instanceof Failure ? task : undefined;
  recorder.ended(operationOf('immediate'), failure, performance.now() - dueAt);
  if (!task || task instanceof Failure) return;
  if (tasks.seen(task) || (await pollToEnd(load, polling, task.id)))
    recorder.took(untilSeen, performance.now() - dueAt);
}

/** @returns whether it saw the end before the time was up */
async function pollToEnd(load: Load, { pollFromMs, pollToMs }: Polling, taskId: string): Promise<boolean> {
  const { recorder, client, tasks, random, settled } = load;
  let waitMs = pollFromMs;
  let etag: string | undefined;
  for (;;) {
    const napMs = waitMs * (0.75 + random.next() / 2);
    await delay(napMs, undefined, { signal: settled }).catch(() => undefined); // an abort of the pause is not an error
    if (settled.aborted) return false;
    const dueAt = performance.now();
    const reading = await orFailure(client.getTask(taskId, etag, dueAt));
    const ms = performance.now() - dueAt;
    recorder.ended('GetTask', reading instanceof Failure ? reading : undefined, ms);
    waitMs = Math.min(pollToMs, waitMs * GROWTH);
    if (reading instanceof Failure) {
      waitMs = Math.max(waitMs, Math.min(pollToMs, reading.retryAfterMs ?? 0));
      continue;
    }
    etag = reading.etag;
    if (!reading.task) recorder.took('GetTask, unchanged (304)', ms);
    else if (tasks.seen(reading.task)) return true;
    else if (etag !== undefined) waitMs = pollFromMs;
  }
}
