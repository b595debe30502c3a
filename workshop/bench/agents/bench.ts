import { defineAgent } from '@switchyard/agent';

/** Does as little as an agent can: `done` works and completes; `ask…` asks for input with the same words; `chunks n` streams n chunks of about 30 bytes into one artifact. */
export default defineAgent({
  id: 'bench',
  card: { name: 'Bench', description: 'For measurements.', version: '1.0.0', skills: [] },
  concurrency: 100,
  async execute(turn) {
    if (turn.text.startsWith('ask')) return turn.requireInput(turn.text);
    const count = Number(/^chunks (\d+)$/.exec(turn.text)?.[1] ?? 0);
    if (!count) {
      await turn.working();
      return turn.complete();
    }
    const artifact = turn.artifact({ name: 'Chunks' });
    await artifact.pipe(chunks(count));
    return turn.complete();
  },
});

function* chunks(count: number): Generator<string> {
  for (let i = 0; i < count; i++) yield `chunk ${i} of the bench text `;
}
