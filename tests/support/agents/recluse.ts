import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';

/** Accepts no message while it works, and asks for one afterwards. */
export default defineAgent({
  id: 'recluse',
  card: { name: 'Recluse', description: 'Accepts no message while it works.', version: '1.0.0', skills: [] },
  whileWorking: 'reject',
  async execute(turn) {
    if (turn.text === 'enough') return turn.complete('done');
    await turn.working('do not disturb');
    await delay(Number(turn.text), undefined, { signal: turn.signal });
    return turn.requireInput('What else?');
  },
});
