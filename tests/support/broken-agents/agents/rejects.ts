import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';

async function notifyKitchen(order: string): Promise<void> {
  await delay(50);
  throw new Error(`the kitchen did not take ${order}`);
}

/** Does not await a promise that rejects. */
export default defineAgent({
  id: 'rejects',
  card: { name: 'Rejects', description: 'Leaves a rejected promise alone.', version: '1.0.0', skills: [] },
  async execute(turn) {
    void notifyKitchen(turn.text);
    await delay(10_000, undefined, { signal: turn.signal });
    return turn.complete('ordered');
  },
});
