import { oneOf } from '../../options.ts';
import type { SendResult } from '../client/answers.ts';
import type { Outcome } from '../client/outcome.ts';
import { followStream } from './follow-stream.ts';
import type { Load } from './load.ts';

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

export interface Sent {
  readonly outcome: Outcome<unknown>;
  /** Since it was due. */
  readonly ms: number;
}

export const defaultText = 'Hello';

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
