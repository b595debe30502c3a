import { describe, expect, it } from 'vitest';
import { defineAgent } from '../src/index.ts';
import { executeTurn } from '../src/runtime.ts';
import { MemoryPort } from '../src/testing/index.ts';

/** The texts that are published when an agent appends these chunks, and the text of the artifact. */
async function published(chunks: readonly string[], options: { keepsChunksApart?: boolean; finish?: boolean } = {}) {
  const agent = defineAgent({
    id: 'a',
    card: { name: 'A', description: 'a', version: '1', skills: [] },
    async execute(turn) {
      const report = turn.artifact({ name: 'Report', keepsChunksApart: options.keepsChunksApart ?? false });
      await report.pipe(chunks);
      if (options.finish) await report.finish();
      return turn.complete();
    },
  });
  const port = new MemoryPort({ message: 'Hello' });
  await executeTurn(agent, port);
  const events = port.published.flatMap((event) => (event.kind === 'artifact' ? [event.artifact.parts] : []));
  const stored = port.current.artifacts?.flatMap(({ parts }) => parts.map(({ text }) => text)) ?? [];
  return { sent: events.map((parts) => parts.map(({ text }) => text).join('')), stored };
}

describe('a chunk that ends in the middle of a character', () => {
  it('waits for the other half', async () => {
    const { sent, stored } = await published(['Pizza \ud83c', '\udf55 and \ud83d', '\ude00!']);
    expect(sent).toEqual(['Pizza ', '🍕 and ', '😀!']);
    expect(stored).toEqual(['Pizza 🍕 and 😀!']);
  });

  it('is not published while it is nothing else', async () => {
    expect((await published(['a', '\ud83c', '\udf55', 'b'])).sent).toEqual(['a', '🍕', 'b']);
  });

  it('may be the first one: the artifact begins without text', async () => {
    expect(await published(['\ud83c', '\udf55'])).toEqual({ sent: ['', '🍕'], stored: ['🍕'] });
  });

  it('is whole in the part of the other half, if chunks stay parts', async () => {
    expect((await published(['a\ud83c', '\udf55b'], { keepsChunksApart: true })).stored).toEqual(['a', '🍕b']);
  });

  it('is U+FFFD if the other half does not come', async () => {
    const { sent, stored } = await published(['a\ud83c', 'b\ud83d']);
    expect(sent).toEqual(['a', '\ufffdb']);
    expect(stored).toEqual(['a\ufffdb']);
    expect((await published(['ab\ud83c'], { finish: true })).stored).toEqual(['ab\ufffd']);
  });
});
