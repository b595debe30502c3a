import { defineAgent } from '@switchyard/agent';

/** Has a step whose result is too large to be stored. */
export default defineAgent({
  id: 'large-step',
  card: { name: 'Large step', description: 'Has a step with a large result.', version: '1.0.0', skills: [] },
  async execute(turn) {
    const pages = await turn.step('crawl', async () => 'page '.repeat(100_000));
    return turn.complete(`${pages.length} characters`);
  },
});
