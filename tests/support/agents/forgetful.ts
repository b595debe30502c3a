import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';

async function lookUp(name: string): Promise<never> {
  await delay(5);
  throw new Error(`nobody awaits the look-up of ${name}`);
}

/** Checked by a timer that was started outside any turn. */
let isNobodysDue = false;
setInterval(() => {
  if (isNobodysDue) void Promise.reject(new Error('of no turn'));
}, 5).unref();

/** Does not await a promise that rejects. */
export default defineAgent({
  id: 'forgetful',
  card: { name: 'Forgetful', description: 'Does not await a promise.', version: '1.0.0', skills: [] },
  async execute(turn) {
    if (turn.text === 'forget') {
      void lookUp('the menu');
      await delay(60_000, undefined, { signal: turn.signal });
    }
    if (turn.text === 'forget and complete') void lookUp('the bill');
    if (turn.text === 'forget in a step') {
      await turn.step('look up', async () => void lookUp('the oven'));
      await delay(60_000, undefined, { signal: turn.signal });
    }
    if (turn.text === 'reject for nobody') isNobodysDue = true;
    if (turn.text === 'slowly') await delay(500, undefined, { signal: turn.signal });
    return turn.complete(`done: ${turn.text}`);
  },
});
