import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';

/** Runs one turn at a time, each as long as its message says in ms. */
export default defineAgent({
  id: 'till',
  concurrency: 1,
  card: { name: 'Till', description: 'Runs one turn at a time.', version: '1.0.0', skills: [] },
  async execute(turn) {
    await delay(Number(turn.text), undefined, { signal: turn.signal });
    return turn.complete('Thank you');
  },
});
