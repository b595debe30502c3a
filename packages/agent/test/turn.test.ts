import type { Message, Part } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { Turn, TurnEnded, TurnMisuseError } from '../src/index.ts';
import { MemoryPort, type MemoryTurn } from '../src/testing/index.ts';

function openTurn(turn: Partial<MemoryTurn> = {}) {
  const port = new MemoryPort({ message: 'Hello', ...turn });
  return { port, turn: new Turn(port) };
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('a turn', () => {
  it('has the message, its text, the history, the principal and the request’s options', () => {
    const parts = [{ text: 'one' }, { data: { two: 2 } }, { text: 'three' }];
    const { turn, port } = openTurn({ message: parts, acceptedOutputModes: ['text/plain'], metadata: { priority: 1 } });
    expect(turn.text).toBe('one\nthree');
    expect(turn.history).toEqual([port.input.message]);
    expect(turn).toMatchObject({
      message: { role: 'ROLE_USER', parts },
      principal: { subject: 'anonymous' },
      attempt: 1,
      isLastAttempt: false,
      acceptedOutputModes: ['text/plain'],
      extensions: [],
      metadata: { priority: 1 },
      outcome: undefined,
    });
  });
});

describe('turn.accepts', () => {
  it.each([
    [[], 'image/png', true],
    [['text/plain'], 'text/plain; charset=utf-8', true],
    [['Text/*'], 'text/markdown', true],
    [['*/*'], 'image/png', true],
    [['text/plain', 'application/json'], 'text/markdown', false],
    [['text/*'], 'textual/plain', false],
  ])('for a client that accepts %j, of %s returns %s', (acceptedOutputModes, mediaType, isAccepted) => {
    expect(openTurn({ acceptedOutputModes }).turn.accepts(mediaType)).toBe(isAccepted);
  });
});

describe('a status that a turn publishes', () => {
  const forms: [string, Parameters<Turn['complete']>[0], object][] = [
    ['a text', 'Done', { parts: [{ text: 'Done' }] }],
    ['a part', { data: null }, { parts: [{ data: null }] }],
    [
      'parts',
      [{ text: 'a' }, { url: 'https://example.com/a' }],
      { parts: [{ text: 'a' }, { url: 'https://example.com/a' }] },
    ],
    [
      'parts with metadata and extensions',
      { parts: [{ text: 'a' }], metadata: { k: 1 }, extensions: ['urn:x'] },
      { parts: [{ text: 'a' }], metadata: { k: 1 }, extensions: ['urn:x'] },
    ],
  ];

  it.each(forms)('can be given as %s', async (_, content, message) => {
    const { turn, port } = openTurn();
    await turn.complete(content);
    expect(port.current.status.message).toEqual({
      messageId: expect.stringMatching(uuid),
      role: 'ROLE_AGENT',
      ...message,
    });
  });

  it('can be published with its message as it is (turn.publish)', async () => {
    const { turn, port } = openTurn();
    const message: Message = { messageId: 'theirs', role: 'ROLE_AGENT', parts: [{ text: 'Done' }] };
    const artifact = { artifactId: 'a', parts: [{ text: '1' }] };
    await turn.publish({ kind: 'artifact', artifact, append: false, lastChunk: true });
    await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', message, settles: true });
    expect(port.current).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED', message }, artifacts: [artifact] });
    expect(turn.outcome).toEqual({ state: 'TASK_STATE_COMPLETED' });
    await expect(turn.working()).rejects.toThrow(TurnMisuseError);
  });

  it('is added to the history, in order', async () => {
    const { turn, port } = openTurn();
    await turn.working('Looking');
    await turn.working();
    await turn.complete('Found');
    expect(port.current.history?.map(({ parts: [part] }) => part?.text)).toEqual(['Hello', 'Looking', 'Found']);
  });

  it('sets the metadata of the task', async () => {
    const { turn, port } = openTurn();
    await turn.working('Looking', { metadata: { step: 1 } });
    await turn.complete(undefined, { metadata: { step: 2 } });
    expect(port.current.metadata).toEqual({ step: 2 });
  });

  it('is refused without a part, or with what is none', async () => {
    const { turn, port } = openTurn();
    await expect(turn.complete([])).rejects.toThrow(TurnMisuseError);
    expect(port.published).toEqual([]);
    const wrong: [unknown, string][] = [
      [5, 'The content is a text, a part, or a list of parts, not a number.'],
      [null, 'The content is a text, a part, or a list of parts, not null.'],
      [{ parts: undefined }, 'The content is a text, a part, or a list of parts, not undefined.'],
      [['a text'], 'Part 1 of the content is a string: a part is an object such as { text: "…" }.'],
      [[{ text: 'x' }, { txt: 'x' }], 'Part 2 of the content has txt: a part has exactly one of text, raw (base64),'],
      [{ kind: 'text', text: 'x', url: 'y' }, 'Part 1 of the content has kind, text, url: a part has exactly one of'],
      [{ raw: new Uint8Array(2) }, 'Part 1 of the content has an object as its raw: it must be a string.'],
    ];
    for (const [content, message] of wrong) {
      const refused = { name: 'TurnMisuseError', message: expect.stringContaining(message) };
      await expect(turn.complete(content as string)).rejects.toMatchObject(refused);
    }
    await expect(turn.complete('still possible')).resolves.toEqual({ state: 'TASK_STATE_COMPLETED' });
  });

  it('contains the context id in a plain reply, because its caller receives no task', async () => {
    const { turn, port } = openTurn();
    await turn.reply('Hi');
    const { contextId } = port.input.task;
    expect(port.published).toMatchObject([
      {
        state: 'TASK_STATE_COMPLETED',
        settles: true,
        isPlainMessage: true,
        message: { contextId, parts: [{ text: 'Hi' }] },
      },
    ]);
  });

  it('releases the caller if it is an acknowledgement; the turn continues', async () => {
    const { turn, port } = openTurn();
    await turn.acknowledge('I am on it');
    expect(port.published).toMatchObject([{ state: 'TASK_STATE_WORKING', settles: false, answersCaller: true }]);
    await expect(turn.complete()).resolves.toBeDefined();
  });
});

describe('the outcome of a turn', () => {
  const outcomes: [string, (turn: Turn) => Promise<unknown>, string][] = [
    ['complete', (turn) => turn.complete(), 'TASK_STATE_COMPLETED'],
    ['requireInput', (turn) => turn.requireInput('Which?'), 'TASK_STATE_INPUT_REQUIRED'],
    ['reject', (turn) => turn.reject('No'), 'TASK_STATE_REJECTED'],
    ['fail', (turn) => turn.fail('Broken'), 'TASK_STATE_FAILED'],
    ['reply', (turn) => turn.reply('Hi'), 'TASK_STATE_COMPLETED'],
  ];

  it.each(outcomes)('is set by %s', async (_, settle, state) => {
    const { turn, port } = openTurn();
    await expect(settle(turn)).resolves.toEqual({ state });
    expect(port.published).toMatchObject([{ kind: 'status', state, settles: true }]);
    expect(turn.outcome).toEqual({ state });
  });

  it.each(outcomes)('by %s lets nothing be published afterwards', async (_, settle, state) => {
    const { turn, port } = openTurn();
    const report = turn.artifact({ name: 'Report' });
    await settle(turn);
    for (const write of [turn.working('more'), turn.complete(), report.append('more')]) {
      await expect(write).rejects.toThrow(`The turn has its outcome already (${state})`);
    }
    expect(port.published).toHaveLength(1);
  });

  it('cannot be set a second time, even before the first is durable', async () => {
    const { turn } = openTurn();
    const [first, second] = await Promise.allSettled([turn.complete('a'), turn.complete('b')]);
    expect([first.status, second.status]).toEqual(['fulfilled', 'rejected']);
  });

  it('is not set by requireAuth: the agent continues when it is authorized', async () => {
    const { turn, port } = openTurn();
    await turn.requireAuth('Please approve');
    expect(turn.outcome).toBeUndefined();
    expect(port.current.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
    await turn.working('Approved');
    await turn.complete();
    expect(port.published.map((event) => event.kind === 'status' && event.settles)).toEqual([false, false, true]);
  });
});

describe('a turn whose write was refused', () => {
  it('because it was taken over refuses every further write, and aborts its signal', async () => {
    const { turn, port } = openTurn();
    port.refuse();
    await expect(turn.working()).rejects.toThrow(TurnEnded);
    expect(turn.signal.reason).toMatchObject({ kind: 'taken-over' });
    await expect(turn.complete()).rejects.toThrow(TurnEnded);
  });

  it('because of a connection error refuses every further write, so that no artifact has a gap', async () => {
    const { turn, port } = openTurn();
    const report = turn.artifact({ name: 'Report' });
    await report.append('1');
    port.refuse(new Error('no connection'));
    await expect(report.append('2')).rejects.toThrow('no connection');
    await expect(report.append('3')).rejects.toThrow('no connection');
  });

  it('causes no unhandled rejection if the agent does not await its writes', async () => {
    const { turn, port } = openTurn();
    port.refuse();
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    const parts: Part[] = [];
    turn.complete(parts);
    turn.requireAuth('Please');
    turn.artifact({ name: 'Report' }).pipe(['a', 'b']);
    await new Promise(setImmediate);
    expect(unhandled).toEqual([]);
    process.off('unhandledRejection', note);
  });
});
