import { defineAgent } from '@switchyard/agent';

/** Publishes the requested number of chunks of 256 KiB, and asks: the task stays open for readers. */
export default defineAgent({
  id: 'loud',
  card: { name: 'Loud', description: 'Publishes large artifacts.', version: '1.0.0', skills: [] },
  async execute(turn) {
    const chunks = Number(turn.text);
    if (chunks > 0) {
      const noise = turn.artifact({ name: 'Noise' });
      for (let i = 0; i < chunks; i++) await noise.append('x'.repeat(256 * 1_024));
      await noise.finish();
    }
    return turn.requireInput('More?');
  },
});
