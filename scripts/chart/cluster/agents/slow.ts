import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';

/** Takes two seconds for each message, two at a time. */
export default defineAgent({
  id: 'slow',
  concurrency: 2,
  card: {
    name: 'Slow',
    description: 'Answers after two seconds.',
    version: '1.0.0',
    skills: [{ id: 'wait', name: 'Wait', description: 'Waits.', tags: ['test'] }],
  },
  async execute(turn) {
    await delay(2_000, undefined, { signal: turn.signal });
    return turn.complete('At last');
  },
});
