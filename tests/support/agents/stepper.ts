import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';

/**
 * Runs three steps, and notes each real run in a file: `first <pid>`. The second one pauses for `pauseMs` in the first
 * attempt.
 */
export default defineAgent({
  id: 'stepper',
  card: { name: 'Stepper', description: 'Runs three steps.', version: '1.0.0', skills: [] },
  async execute(turn) {
    const { file, pauseMs } = turn.metadata as { file: string; pauseMs: number };
    const note = (what: string): void => appendFileSync(file, `${what} ${process.pid}\n`);
    const first = await turn.step('first', () => {
      note('first');
      return process.pid;
    });
    await turn.step('second', async () => {
      const page = turn.artifact({ name: 'Page' });
      await turn.working('half of it');
      await page.append('one ');
      await page.append('two ');
      note('second');
      if (turn.attempt === 1) await delay(pauseMs, undefined, { signal: turn.signal });
      await page.finish('three');
      await turn.working('all of it');
    });
    await turn.step('third', () => note('third'));
    return turn.complete(`done first by ${first}`);
  },
});
