import { defineAgent } from '@switchyard/agent';

const price = (menu: ReadonlyMap<string, { euros: number }>, pizza: string): number => {
  const entry = menu.get(pizza);
  if (!entry) throw new Error(`the menu has no ${pizza}`);
  return entry.euros;
};

/** Throws. */
export default defineAgent({
  id: 'throws',
  card: { name: 'Throws', description: 'Throws an error.', version: '1.0.0', skills: [] },
  execute: async (turn) => turn.complete(`${price(new Map(), turn.text)} euros`),
});
