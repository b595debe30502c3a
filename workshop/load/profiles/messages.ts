import { oneOf } from '../../options.ts';
import type { SendResult } from '../client/a2a-client.ts';
import type { Outcome } from '../client/outcome.ts';
import { arrivals, keepPace } from '../measure/arrivals.ts';
import { followStream } from './follow-stream.ts';
import type { Load } from './profile.ts';

/** Begun and not ended; beyond that this process would be busy with its own memory. */
const MOST_OPEN = 50_000;
export const defaultText = 'Hello';

export type Mode = 'blocking' | 'immediate' | 'stream';

/** How a message is sent, for the profiles that leave it to their user. */
export const modeOption = oneOf(
  {
    what: 'wait for the end of the task, for its acceptance only (returnImmediately), or read its stream',
    fallback: 'blocking',
  },
  'blocking',
  'immediate',
  'stream',
);

/** What the report calls it. */
export function operationOf(mode: Mode): string {
  return mode === 'stream' ? 'SendStreamingMessage' : `SendMessage, ${mode}`;
}

export interface Arrivals {
  /** Milliseconds since now; unset: at `--rate`. */
  readonly times?: Iterator<number, unknown>;
  /** Ends them; unset: the end of the run does. */
  readonly signal?: AbortSignal;
  /** What each of them does. Never rejects. */
  readonly act: (dueAt: number) => Promise<unknown>;
}

/** Resolves when all that arrived has ended. */
export async function onArrivals(load: Load, { times, signal, act }: Arrivals): Promise<void> {
  const { recorder, lateness } = load;
  const open = new Set<Promise<unknown>>();
  const onArrival = (dueAt: number): void => {
    recorder.arrived();
    if (open.size >= MOST_OPEN) {
      recorder.wrong({ kind: 'not begun', example: `${MOST_OPEN} others were not answered yet` });
      return;
    }
    const done = act(dueAt).finally(() => open.delete(done));
    open.add(done);
  };
  await keepPace({ arrivals: times ?? steadily(load), signal: signal ?? load.over, lateness, onArrival });
  await Promise.all(open);
}

/** Arrivals at a constant rate. Default: `--rate`. */
export function steadily({ options, random }: Load, rate = options.rate): Generator<number, never> {
  return arrivals({ rateAt: () => rate, peak: rate, random });
}

export interface Sent {
  readonly outcome: Outcome<unknown>;
  /** Since it was due. */
  readonly ms: number;
}

/** One message, sent, answered and counted. */
export async function sendOne(load: Load, mode: Mode, dueAt: number): Promise<Sent> {
  const { recorder, options } = load;
  const text = options.text ?? defaultText;
  recorder.began();
  const outcome =
    mode === 'stream'
      ? await followStream(load, { text, dueAt, timeoutFor: 'end' }).ended
      : noteTask(load, await load.client.send(text, mode === 'immediate', dueAt));
  const ms = performance.now() - dueAt;
  recorder.ended(operationOf(mode), outcome, ms);
  recorder.left();
  return { outcome, ms };
}

/** What was answered enters the books. */
export function noteTask(load: Load, outcome: Outcome<SendResult>): Outcome<SendResult> {
  if (!outcome.ok) return outcome;
  if ('task' in outcome.value) load.tasks.accepted(outcome.value.task);
  else load.tasks.repliedWithMessage();
  return outcome;
}
