import { defineAgent } from '@switchyard/agent';

/** Its card has no version, and a skill without a name. */
export default defineAgent({
  id: 'wrong-card',
  // @ts-expect-error the compiler sees it, too
  card: { name: 'Wrong card', description: 'Has a wrong card.', skills: [{ id: 'order' }] },
  execute: async (turn) => turn.complete('never'),
});
