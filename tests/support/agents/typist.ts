import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';

/** Writes the requested number of lines into an artifact, one every 10 ms: slow enough for a test to interfere. */
export default defineAgent({
  id: 'typist',
  card: { name: 'Typist', description: 'Writes the requested number of lines.', version: '1.0.0', skills: [] },
  async execute(turn) {
    const page = turn.artifact({ name: 'Page' });
    for (let line = 1; line <= Number(turn.text); line++) {
      await page.append(`line ${line}\n`);
      await delay(10, undefined, { signal: turn.signal });
    }
    await page.finish();
    return turn.complete('Done');
  },
});
