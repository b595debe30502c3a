import { setTimeout as delay } from 'node:timers/promises';
import { time } from '../options.ts';
import type { StreamEvent, StreamOptions, TaskView } from './client.ts';
import { Failure, orFailure } from './connections.ts';
import { defaultText, defineProfile, type Load, noStreams, onArrivals, operationOf, steadily } from './profile.ts';
import { isSettled } from './recorder.ts';

/** Durations that streams add to the report. */
const firstEvent = 'first event of a stream';
const eventDelivery = 'event, from agent to client';

type FollowedStream = ReturnType<typeof followStream>;

/** Sends a message, and records the events of its stream. `ended` rejects with a `Failure`. */
export function followStream(load: Load, text: string, { dueAt, timeoutFor }: Omit<StreamOptions, 'onEvent'>) {
  const { recorder, tasks } = load;
  const order = new EventOrder();
  let isFirst = true;
  let isAccepted = false;
  let isAtEnd = false;
  const noteTask = (task: TaskView): void => {
    if (isAccepted) tasks.seen(task);
    else tasks.accepted(task);
    isAccepted = true;
    isAtEnd = isSettled(task.status.state);
  };
  const onEvent = (event: StreamEvent, id: string | undefined): void => {
    recorder.received();
    if (isFirst) recorder.took(firstEvent, performance.now() - dueAt);
    isFirst = false;
    const disorder = order.next(id);
    if (disorder) recorder.wrong(...disorder);
    if ('artifactUpdate' in event) noteArtifact(load, event.artifactUpdate.artifact.parts[0]?.text);
    else if ('task' in event) noteTask(event.task);
    else if ('statusUpdate' in event) noteTask({ id: event.statusUpdate.taskId, status: event.statusUpdate.status });
    else {
      tasks.repliedWithMessage();
      isAtEnd = true;
    }
  };
  const stream = load.client.stream(text, { dueAt, timeoutFor, onEvent });
  const ended = stream.ended.then(() => {
    if (!isAtEnd) throw new Failure('stream ended before its task', 'the last event left the task running');
  });
  return { order, ended, leave: stream.leave };
}

/** Our own agent publishes its time, by the same clock. */
function noteArtifact({ isOwnAgent, recorder }: Load, text = ''): void {
  const sentAt = /sent at (\d+\.\d+)/.exec(text)?.[1];
  if (isOwnAgent && sentAt !== undefined)
    recorder.took(eventDelivery, performance.timeOrigin + performance.now() - Number(sentAt));
}

/**
 * Checks the ids of the events of a stream. A Switchyard gateway numbers the events of a task 1-…, 2-…, 3-…; a stream
 * can start anywhere, and has each following number once. Other servers need no numbers, and are not checked.
 */
class EventOrder {
  readonly counts = { checked: 0, unchecked: 0, holes: 0, doubles: 0 };
  #last: number | undefined;

  /** @returns the problem, if there is one: its kind, and an example */
  next(id: string | undefined): [string, string] | undefined {
    const last = this.#last;
    const isNumbered = id !== undefined && /^\d{1,15}(?:-\w{1,20})?$/.test(id);
    const number = Number.parseInt(id ?? '', 10);
    if (isNumbered) this.#last = Math.max(number, last ?? 0);
    const isNext = last === undefined || number === last + 1;
    this.counts[!isNumbered ? 'unchecked' : isNext ? 'checked' : number <= last ? 'doubles' : 'holes']++;
    if (!isNumbered || isNext) return undefined;
    return number <= last
      ? ['event twice on a stream', `event ${number} came again`]
      : ['hole in the events of a stream', `event ${number} came after ${last}`];
  }
}

/** Pause in milliseconds before a stream that ended early, or was refused, is reopened. */
const REOPEN_MS = 1_000;

/** Keeps `--connections` streams open all the time, which start at `--rate`. A stream that ends is reopened. */
export const longStreams = defineProfile({
  name: 'long-streams',
  summary: 'many concurrent streams, kept open; checks that each event comes once and in order',
  defaults: { rate: '100', connections: '200' },
  options: { everyMs: time('time between the events of a stream (own agent)', '200ms', ['1ms', '1m']) },
  canWarmUp: false,
  primary: (_, isOwnAgent) => (isOwnAgent ? eventDelivery : firstEvent),
  async run(load, { everyMs }) {
    const { options, isOwnAgent, recorder, over } = load;
    const endsAt = performance.now() + options.durationMs;
    const open = new Set<FollowedStream>();
    const findings = { ...noStreams };

    /** Our own agent streams until the time is up. */
    const textNow = (): string => {
      const count = Math.ceil(Math.max(1, endsAt - performance.now()) / everyMs);
      return options.text ?? (isOwnAgent ? `stream ${count} every ${everyMs}` : defaultText);
    };
    const follow = async (dueAt: number): Promise<void> => {
      const stream = followStream(load, textNow(), { dueAt, timeoutFor: 'beginning' });
      findings.opened++;
      open.add(stream);
      findings.most = Math.max(findings.most, open.size);
      const end = await orFailure(stream.ended);
      open.delete(stream);
      // A stream that was closed at the end of the run is not a failure.
      const isLeft = end instanceof Failure && end.kind === 'left';
      const failure = end instanceof Failure && !isLeft ? end : undefined;
      if (isLeft) findings.left++;
      else if (!failure) findings.ended++;
      recorder.ended(operationOf('stream'), failure);
      for (const what of ['checked', 'unchecked', 'holes', 'doubles'] as const)
        findings[what] += stream.order.counts[what];
    };
    const keepOne = async (dueAt: number): Promise<void> => {
      for (let at = dueAt; !over.aborted; at = performance.now()) {
        await follow(at);
        const restMs = Math.max(0, at + REOPEN_MS - performance.now());
        // It throws when the time is up.
        if (!over.aborted) await delay(restMs, undefined, { signal: over }).catch(() => undefined);
      }
    };
    // Our own agent's streams end at about this time, which is part of the test.
    const patience = isOwnAgent && options.text === undefined ? load.settled : over;
    const leave = (): void => {
      for (const stream of open) stream.leave();
    };
    patience.addEventListener('abort', leave, { once: true });
    await onArrivals(load, { times: steadily(load).take(options.connections), act: keepOne });
    return { streams: findings };
  },
});
