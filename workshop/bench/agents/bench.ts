import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';

/**
 * Does as little as an agent can: `done` works and completes; `ask…` asks for input with the same words; `chunks n`
 * streams n chunks of about 30 bytes into one artifact, `chunks n every ms` paced.
 */
export default defineAgent({
  id: 'bench',
  card: { name: 'Bench', description: 'For measurements.', version: '1.0.0', skills: [] },
  concurrency: 100,
  async execute(turn) {
    if (turn.text.startsWith('ask')) return turn.requireInput(turn.text);
    const [, count = 0, everyMs = 0] = (/^chunks (\d+)(?: every (\d+))?$/.exec(turn.text) ?? []).map(Number);
    if (!count) {
      await turn.working();
      return turn.complete();
    }
    const artifact = turn.artifact({ name: 'Chunks' });
    await artifact.pipe(everyMs ? paced(count, everyMs) : chunks(count));
    return turn.complete();
  },
});

function* chunks(count: number): Generator<string> {
  for (let i = 0; i < count; i++) yield `chunk ${i} of the bench text `;
}

/** Each chunk has its own time, so that the pace does not depend on how long a chunk takes. */
async function* paced(count: number, everyMs: number): AsyncGenerator<string> {
  const begun = performance.now();
  let number = 0;
  for (const chunk of chunks(count)) {
    await delay(Math.max(0, begun + number++ * everyMs - performance.now()));
    yield chunk;
  }
}
