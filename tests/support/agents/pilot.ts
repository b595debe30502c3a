import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';
import type { Message } from '@switchyard/protocol';

const textOf = ({ parts }: Message): string => parts.map(({ text = '' }) => text).join('');

/**
 * Follows messages during its turn until one says `land`, and completes with all of them. After `glide` it ignores
 * messages, and completes by itself.
 */
export default defineAgent({
  id: 'pilot',
  card: { name: 'Pilot', description: 'Accepts messages while it works.', version: '1.0.0', skills: [] },
  whileWorking: 'steer',
  async execute(turn) {
    await turn.working('in the air');
    if (turn.text === 'glide') {
      await delay(700, undefined, { signal: turn.signal });
      return turn.complete('glided');
    }
    const told = [turn.text];
    for await (const message of turn.steering) {
      told.push(textOf(message));
      if (told.at(-1) === 'land') return turn.complete(told.join(', '));
      await turn.working(`told ${told.at(-1)}`);
    }
    return turn.fail('nobody said where to land');
  },
});
