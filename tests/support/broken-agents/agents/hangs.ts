import { defineAgent } from '@switchyard/agent';

/** Waits for something that never comes, without its signal. */
export default defineAgent({
  id: 'hangs',
  turnTimeoutMs: 3_000,
  card: { name: 'Hangs', description: 'Waits for ever.', version: '1.0.0', skills: [] },
  async execute(turn) {
    await new Promise(() => undefined);
    return turn.complete('never');
  },
});
