import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';
import type { Message } from '@switchyard/protocol';

const textOf = ({ parts }: Message): string => parts.map(({ text = '' }) => text).join('');

/**
 * Flies as it is told while it flies, until it is told to land; says by what it was told. Told to glide, it listens to
 * nobody, and lands by itself.
 */
export default defineAgent({
  id: 'pilot',
  card: { name: 'Pilot', description: 'Is steered while it works.', version: '1.0.0', skills: [] },
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
