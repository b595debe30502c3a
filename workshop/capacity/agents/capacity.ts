import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';

/**
 * `done`: works and completes. `ask`: asks back. `chunks <n>`: writes n chunks of 30 bytes as fast as it may, `chunks <n> every <ms>`
 * paced.
 */
export default defineAgent({
  id: 'capacity',
  card: { name: 'Capacity', description: 'For measurements.', version: '1.0.0', skills: [] },
  concurrency: 400,
  async execute(turn) {
    if (turn.text === 'ask') return turn.requireInput('What?');
    const [, count = 0, everyMs = 0] = (/^chunks (\d+)(?: every (\d+))?$/.exec(turn.text) ?? []).map(Number);
    if (count === 0) {
      await turn.working();
      return turn.complete();
    }
    const artifact = turn.artifact({ name: 'Chunks' });
    await artifact.pipe(everyMs ? paced(count, everyMs) : chunks(count));
    return turn.complete();
  },
});

function* chunks(count: number): Generator<string> {
  for (let i = 0; i < count; i++) yield `${i}`.padStart(30, '.');
}

/** Each at its time, so that the pace does not depend on how long a chunk takes. */
async function* paced(count: number, everyMs: number): AsyncGenerator<string> {
  const begun = performance.now();
  let number = 0;
  for (const chunk of chunks(count)) {
    await delay(Math.max(0, begun + number++ * everyMs - performance.now()));
    yield chunk;
  }
}
