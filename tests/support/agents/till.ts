import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';

/** One at a time, for as many milliseconds as it is told. */
export default defineAgent({
  id: 'till',
  concurrency: 1,
  card: { name: 'Till', description: 'Serves one after the other.', version: '1.0.0', skills: [] },
  async execute(turn) {
    await delay(Number(turn.text), undefined, { signal: turn.signal });
    return turn.complete('Thank you');
  },
});
