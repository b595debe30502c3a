import { defineAgent } from '@switchyard/agent';

/** Keeps everything. */
export default defineAgent({
  id: 'out-of-memory',
  card: { name: 'Out of memory', description: 'Needs more memory than there is.', version: '1.0.0', skills: [] },
  async execute(turn) {
    const kept: unknown[] = [];
    while (!turn.signal.aborted) {
      kept.push(Array.from({ length: 100_000 }, (_, i) => ({ i })));
      await new Promise(setImmediate);
    }
    return turn.complete(`kept ${kept.length}`);
  },
});
