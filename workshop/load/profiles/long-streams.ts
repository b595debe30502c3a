import { setTimeout as delay } from 'node:timers/promises';
import { time } from '../../options.ts';
import type { Outcome } from '../client/outcome.ts';
import { eventDelivery, type FollowedStream, firstEvent, followStream } from './follow-stream.ts';
import { defaultText, onArrivals, operationOf, steadily } from './messages.ts';
import { defineProfile, type Load, type StreamFindings } from './profile.ts';

const options = {
  everyMs: time({ what: 'between the events of a stream (own agent)', fallback: '200ms' }, '1ms', '1m'),
};
/** A stream that ends early, or is refused, is not opened again sooner than this, in milliseconds. */
const REOPEN_MS = 1_000;

/**
 * Many concurrent streams, all the time: `--connections` of them, opened at `--rate`. One that ends is opened again.
 */
export const longStreams = defineProfile({
  name: 'long-streams',
  summary: 'many streams at once, kept open; checks that each event comes once and in order',
  defaults: { rate: '100', connections: '200' },
  options,
  canWarmUp: false,
  primary: (_, isOwnAgent) => (isOwnAgent ? eventDelivery : firstEvent),
  async run(load, { everyMs }) {
    const { connections, durationMs } = load.options;
    const streams = new Streams(load, everyMs, performance.now() + durationMs);
    const times = steadily(load).take(connections);
    await onArrivals(load, { times, act: (dueAt) => streams.keepOne(dueAt) });
    return { streams: streams.findings };
  },
});

class Streams {
  readonly #load: Load;
  readonly #everyMs: number;
  readonly #endsAt: number;
  readonly #open = new Set<FollowedStream>();
  readonly findings: { -readonly [Name in keyof StreamFindings]: number } = {
    opened: 0,
    most: 0,
    ended: 0,
    left: 0,
    checked: 0,
    unchecked: 0,
    holes: 0,
    doubles: 0,
  };

  constructor(load: Load, everyMs: number, endsAt: number) {
    this.#load = load;
    this.#everyMs = everyMs;
    this.#endsAt = endsAt;
    load.over.addEventListener('abort', () => this.#leaveAll(), { once: true });
  }

  /** Keeps one stream open until the time is over. */
  async keepOne(dueAt: number): Promise<void> {
    const { over } = this.#load;
    for (let at = dueAt; !over.aborted; at = performance.now()) {
      await this.#follow(at);
      const restMs = Math.max(0, at + REOPEN_MS - performance.now());
      // It throws when the time is over.
      if (!over.aborted) await delay(restMs, undefined, { signal: over }).catch(() => undefined);
    }
  }

  async #follow(dueAt: number): Promise<void> {
    const { recorder } = this.#load;
    recorder.began();
    const stream = followStream(this.#load, { text: this.#text(), dueAt, timeoutFor: 'beginning' });
    this.findings.opened++;
    this.#open.add(stream);
    this.findings.most = Math.max(this.findings.most, this.#open.size);
    const outcome = await stream.ended;
    this.#open.delete(stream);
    recorder.ended(operationOf('stream'), this.#judged(outcome));
    recorder.left();
    for (const what of ['checked', 'unchecked', 'holes', 'doubles'] as const) this.findings[what] += stream.order[what];
  }

  /** The own agent streams until the time is over. */
  #text(): string {
    const { options: common, isOwnAgent } = this.#load;
    const count = Math.ceil(Math.max(1, this.#endsAt - performance.now()) / this.#everyMs);
    return common.text ?? (isOwnAgent ? `stream ${count} every ${this.#everyMs}` : defaultText);
  }

  /** A stream that was closed at the end of the run is not a failure. */
  #judged(outcome: Outcome<void>): Outcome<void> {
    const isLeft = !outcome.ok && outcome.failure.kind === 'left';
    if (isLeft) this.findings.left++;
    if (outcome.ok) this.findings.ended++;
    return isLeft ? { ok: true, value: undefined } : outcome;
  }

  /** The own agent's streams end by themselves about now, which is part of the test. */
  #leaveAll(): void {
    const patience =
      this.#load.isOwnAgent && this.#load.options.text === undefined ? this.#load.settled : this.#load.over;
    const leave = (): void => {
      for (const stream of this.#open) stream.leave();
    };
    if (patience.aborted) leave();
    else patience.addEventListener('abort', leave, { once: true });
  }
}
