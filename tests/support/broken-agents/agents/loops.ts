import { defineAgent } from '@switchyard/agent';

function collatzSteps(start: number): number {
  let steps = 0;
  // 0 never becomes 1.
  for (let n = start; n !== 1; n = n % 2 === 0 ? n / 2 : 3 * n + 1) steps += 1;
  return steps;
}

/** Loops for ever. */
export default defineAgent({
  id: 'loops',
  card: { name: 'Loops', description: 'Loops for ever.', version: '1.0.0', skills: [] },
  execute: async (turn) => turn.complete(`${collatzSteps(Number(turn.text) || 0)} steps`),
});
