import type { TurnEvent } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { Turn, TurnMisuseError } from '../src/index.ts';
import { MemoryPort } from '../src/testing/index.ts';

function openTurn(port = new MemoryPort({ message: 'Hello' })) {
  return { port, turn: new Turn(port) };
}

function updates({ published }: MemoryPort) {
  return published.filter((event): event is Extract<TurnEvent, { kind: 'artifact' }> => event.kind === 'artifact');
}

describe('an artifact', () => {
  it('is created by its first chunk, extended by the next, and finished by the last', async () => {
    const { port, turn } = openTurn();
    const report = turn.artifact({
      name: 'Report',
      description: 'What was found',
      metadata: { pages: 1 },
      extensions: ['urn:x'],
    });
    expect(port.published).toEqual([]);
    await report.append('Hello');
    await report.append(' world');
    await report.finish('.');
    expect(updates(port).map(({ append, lastChunk }) => ({ append, lastChunk }))).toEqual([
      { append: false, lastChunk: false },
      { append: true, lastChunk: false },
      { append: true, lastChunk: true },
    ]);
    expect(updates(port)[1]?.artifact).toEqual({ artifactId: report.artifactId, parts: [{ text: ' world' }] });
    expect(port.current.artifacts).toEqual([
      {
        artifactId: report.artifactId,
        name: 'Report',
        description: 'What was found',
        metadata: { pages: 1 },
        extensions: ['urn:x'],
        parts: [{ text: 'Hello world.' }],
      },
    ]);
  });

  it('can be published in one chunk', async () => {
    const { port, turn } = openTurn();
    await turn.artifact({ name: 'Report' }).finish([{ data: { found: 3 } }, { text: 'three' }]);
    expect(updates(port)).toMatchObject([{ append: false, lastChunk: true }]);
    expect(port.current.artifacts).toMatchObject([{ parts: [{ data: { found: 3 } }, { text: 'three' }] }]);
  });

  it("has the author's media type on its text", async () => {
    const { port, turn } = openTurn();
    const page = turn.artifact({ name: 'Page', mediaType: 'text/html' });
    await page.append('<p>');
    await page.append('</p>');
    await page.finish();
    expect(port.current.artifacts?.[0]?.parts).toEqual([{ text: '<p></p>', mediaType: 'text/html' }]);
  });

  it('can be replaced as a whole, and extended again', async () => {
    const { port, turn } = openTurn();
    const report = turn.artifact({ name: 'Report' });
    await report.append('draft');
    await report.replace('final');
    await report.append(' version');
    expect(updates(port)[1]).toMatchObject({ append: false, artifact: { name: 'Report' } });
    expect(port.current.artifacts).toMatchObject([{ name: 'Report', parts: [{ text: 'final version' }] }]);
  });

  it('with keepsChunksApart stores each chunk as a separate part', async () => {
    const { port, turn } = openTurn();
    const log = turn.artifact({ name: 'Log', keepsChunksApart: true });
    await log.pipe(['a', 'b']);
    await log.finish();
    expect(port.current.artifacts?.[0]?.parts).toEqual([{ text: 'a' }, { text: 'b' }]);
  });

  it('has no part for an empty last chunk', async () => {
    const { port, turn } = openTurn();
    const [text, file, empty] = [
      turn.artifact({ name: 'Text' }),
      turn.artifact({ name: 'File' }),
      turn.artifact({ name: 'Empty' }),
    ];
    await text.append('a');
    await file.append({ url: 'https://example.com/f' });
    for (const artifact of [text, file, empty]) await artifact.finish();
    expect(port.current.artifacts?.map(({ parts }) => parts)).toEqual([
      [{ text: 'a' }],
      [{ url: 'https://example.com/f' }],
      [{ text: '' }],
    ]);
    expect(
      updates(port)
        .slice(2)
        .every(({ lastChunk }) => lastChunk),
    ).toBe(true);
  });

  it('refuses chunks after its last chunk', async () => {
    const { turn } = openTurn();
    const report = turn.artifact({ name: 'Report' });
    await report.finish('all');
    await expect(report.append('more')).rejects.toThrow(TurnMisuseError);
    await expect(report.finish()).rejects.toThrow('"Report" is finished already');
  });
});

describe('the id of an artifact', () => {
  it('is the same in every attempt, so that a retried turn replaces the artifact of the failed attempt', async () => {
    const first = openTurn();
    const unfinished = first.turn.artifact({ name: 'Report' });
    await unfinished.append('half of the rep');
    const { input, current: task } = first.port;
    const { port, turn } = openTurn(new MemoryPort({ message: input.message, task, attempt: 2 }));
    await turn.artifact({ name: 'Report' }).finish('the whole report');
    expect(port.current.artifacts).toMatchObject([
      { artifactId: unfinished.artifactId, parts: [{ text: 'the whole report' }] },
    ]);
  });

  it('is a UUID, and differs between names, between artifacts of one name, and between messages', () => {
    const turns = [openTurn().turn, openTurn().turn];
    const ids = turns.flatMap((turn) => ['A', 'A', 'B'].map((name) => turn.artifact({ name }).artifactId));
    expect(new Set(ids).size).toBe(6);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('can be set by the agent, to replace an artifact of an earlier turn', () => {
    expect(openTurn().turn.artifact({ name: 'Report', artifactId: 'report-1' }).artifactId).toBe('report-1');
  });
});

describe('piping into an artifact', () => {
  it('writes every chunk in order', async () => {
    const { port, turn } = openTurn();
    const words = Array.from({ length: 500 }, (_, number) => `${number} `);
    await turn.artifact({ name: 'Numbers' }).pipe(words);
    expect(port.current.artifacts).toMatchObject([{ parts: [{ text: words.join('') }] }]);
  });

  it('reads at most 64 chunks ahead of what is durable', async () => {
    const { port, turn } = openTurn();
    port.publish = () => new Promise(() => undefined);
    let taken = 0;
    const source = {
      *[Symbol.iterator]() {
        for (; ; taken++) yield 'x';
      },
    };
    turn.artifact({ name: 'Endless' }).pipe(source);
    await new Promise(setImmediate);
    expect(taken).toBe(63);
  });

  it('stops the source when the turn was taken over', async () => {
    const { port, turn } = openTurn();
    port.refuse();
    let isStopped = false;
    async function* source() {
      try {
        for (;;) yield 'x';
      } finally {
        isStopped = true;
      }
    }
    await expect(turn.artifact({ name: 'Endless' }).pipe(source())).rejects.toThrow('The turn has ended');
    expect(isStopped).toBe(true);
  });
});
