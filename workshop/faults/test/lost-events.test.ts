import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { numberedLines } from '../../../tests/support/all-events.ts';
import { getTask } from '../../../tests/support/rest.ts';
import { type SdkBinding, type SeenEvent, sdkBindings } from '../../../tests/support/sdk-clients.ts';
import { startStack } from '../../../tests/support/stack.ts';
import { until } from '../../../tests/support/until.ts';
import { startPair } from '../redis/deployments.ts';

// A promoted replica lacks the last events (docs/extensions/resumable-streams.md). The official clients of 1.0 and 0.3
// follow a task over each binding, at two gateways with two workers.

const LINES = 300;
const LOST_MS = 600;

/** Appends each event, and starts again with each task, as the extension requires. */
class Follower {
  readonly seen: SeenEvent[] = [];
  text = '';
  /** Number of received tasks after the first one. */
  restarts = 0;
  #isCut = false;

  readonly #binding: SdkBinding;
  readonly #taskId: string;

  constructor(binding: SdkBinding, taskId: string) {
    this.#binding = binding;
    this.#taskId = taskId;
  }

  /** Resolves when the task has ended, or the stream is cut. */
  async follow(url: string): Promise<void> {
    this.#isCut = false;
    const client = await this.#binding.at(url);
    for await (const event of client.follow(this.#taskId, this.seen.at(-1)?.id)) {
      if (event.text !== undefined && this.seen.length > 0) this.restarts++;
      this.text = event.text ?? (isState(event) ? this.text : (begins(event) ? '' : this.text) + event.what);
      this.seen.push(event);
      if (this.#isCut) return;
    }
  }

  cut(): void {
    this.#isCut = true;
  }
}

/** A turn that runs again writes its page from the first line. */
const begins = ({ what }: SeenEvent): boolean => what === 'line 1\n';
const isState = ({ what }: SeenEvent): boolean => /^[a-z-]*$/.test(what);

test('a client that starts again with each task agrees with the server, on open and resumed streams', async () => {
  await using redis = await startPair();
  const env = { SWEEP_AFTER_MS: '1500', SWEEP_MS: '200' };
  await using stack = await startStack({ redisUrl: redis.url, agents: ['typist'], gateways: 2, workers: 2, env });
  const [here = '', there = ''] = stack.urls;
  const all = await Promise.all(
    sdkBindings.map(async (binding) => {
      const taskId = await (await binding.at(here)).send(String(LINES));
      const [open, cut] = [new Follower(binding, taskId), new Follower(binding, taskId)];
      return { name: binding.name, taskId, open, cut, ends: [open.follow(here), cut.follow(here)] };
    }),
  );
  const everyone = (fits: (follower: Follower) => boolean): boolean =>
    all.every(({ open, cut }) => fits(open) && fits(cut));
  await until(() => everyone(({ seen }) => seen.length > 10), { what: 'all read', timeoutMs: 20_000 });
  const failedOver = redis.failOver?.(LOST_MS);
  await delay(LOST_MS / 2);
  for (const { cut } of all) cut.cut();
  await Promise.all(all.map(({ ends }) => ends[1]));
  const had = all.map(({ cut }) => cut.seen.length);
  await failedOver;
  await Promise.all(all.map(({ cut }) => cut.follow(there)));
  await Promise.all(all.map(({ ends }) => ends[0]));
  for (const [i, { name, taskId, open, cut }] of all.entries()) {
    const { status, artifacts } = await getTask(there, taskId);
    expect([name, status.state]).toEqual([name, 'TASK_STATE_COMPLETED']);
    const whole = artifacts?.flatMap(({ parts }) => parts.map(({ text }) => text)).join('');
    expect(whole).toBe(numberedLines('line', LINES));
    expect([name, open.text, cut.text]).toEqual([name, whole, whole]);
    // Both had events that were lost, so both received the task again, the resumed one as its first event.
    expect([name, open.restarts >= 1, cut.seen[had[i] ?? 0]?.text === undefined]).toEqual([name, true, false]);
  }
});
