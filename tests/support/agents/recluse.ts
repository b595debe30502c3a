import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';

/** Wants no message while it works, and asks for one when it has worked. */
export default defineAgent({
  id: 'recluse',
  card: { name: 'Recluse', description: 'Is not to be disturbed.', version: '1.0.0', skills: [] },
  whileWorking: 'reject',
  async execute(turn) {
    if (turn.text === 'enough') return turn.complete('done');
    await turn.working('do not disturb');
    await delay(Number(turn.text), undefined, { signal: turn.signal });
    return turn.requireInput('What else?');
  },
});
