import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent, type Outcome, type Turn } from '@switchyard/agent';

/**
 * The agent of load tests without `--url`. `work 200`: works for 200 ms; `stream 50 every 100`: publishes a text with
 * its time every 100 ms, 50 times; anything else: completes at once.
 */
export default defineAgent({
  id: 'load',
  card: { name: 'Load', description: 'For load tests.', version: '1.0.0', skills: [] },
  concurrency: 10_000,
  turnTimeoutMs: 2 * 3_600_000,
  async execute(turn) {
    const [, ms] = /^work (\d{1,7})$/.exec(turn.text) ?? [];
    const [, count, everyMs] = /^stream (\d{1,7}) every (\d{1,6})$/.exec(turn.text) ?? [];
    await turn.working();
    if (ms !== undefined) await delay(Number(ms), undefined, { signal: turn.signal });
    if (count !== undefined) return speak(turn, Number(count), Number(everyMs));
    return turn.complete();
  },
});

/**
 * The time is the machine's, in milliseconds, so that a client on this machine can measure the delivery of the event.
 */
async function speak(turn: Turn, count: number, everyMs: number): Promise<Outcome> {
  const artifact = turn.artifact({ name: 'Stream' });
  for (let number = 1; number <= count; number++) {
    await delay(everyMs, undefined, { signal: turn.signal });
    await artifact.append(`${number} sent at ${(performance.timeOrigin + performance.now()).toFixed(3)}\n`);
  }
  await artifact.finish();
  return turn.complete();
}
