import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';

/** An agent whose capacity is known: two messages at a time, 50 ms each. */
export default defineAgent({
  id: 'limited',
  card: { name: 'Limited', description: 'Takes 40 messages a second.', version: '1.0.0', skills: [] },
  concurrency: 2,
  async execute(turn) {
    await delay(50, undefined, { signal: turn.signal });
    return turn.complete();
  },
});
