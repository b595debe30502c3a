import { describe, expect, test } from 'vitest';
import {
  type Artifact,
  fold,
  type Message,
  mergeHeader,
  openingOfText,
  type Part,
  type StreamResponse,
  type Task,
  type TaskArtifactUpdateEvent,
  type TaskStatus,
} from '../src/index.ts';

const task: Task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' } };
const working: TaskStatus = { state: 'TASK_STATE_WORKING' };

const agentMessage = (messageId: string, text = messageId): Message => ({
  messageId,
  role: 'ROLE_AGENT',
  parts: [{ text }],
});
const status = (to: TaskStatus, metadata?: Record<string, unknown>): StreamResponse => ({
  statusUpdate: { taskId: 't', contextId: 'c', status: to, ...(metadata && { metadata }) },
});
const artifact = (of: Artifact, update: Partial<TaskArtifactUpdateEvent> = {}): StreamResponse => ({
  artifactUpdate: { taskId: 't', contextId: 'c', artifact: of, ...update },
});
const append = (...parts: Part[]): StreamResponse => artifact({ artifactId: 'a', parts }, { append: true });
const after = (...events: StreamResponse[]): Task => events.reduce((before, event) => fold(before, event), task);
const partsAfter = (...events: StreamResponse[]): Part[] | undefined => after(...events).artifacts?.[0]?.parts;

describe('a status', () => {
  test('replaces the status before', () => {
    expect(after(status({ ...working, message: agentMessage('m') }), status(working)).status).toEqual(working);
  });

  test('adds its message to the history once', () => {
    const withMessage = status({ ...working, message: agentMessage('m') });
    expect(after(withMessage, withMessage, status({ ...working, message: agentMessage('n') })).history).toEqual([
      agentMessage('m'),
      agentMessage('n'),
    ]);
  });

  test('without a message does not change the history, and does not create one', () => {
    expect('history' in after(status(working))).toBe(false);
  });

  test('merges its metadata into the task', () => {
    expect(after(status(working, { a: 1, b: 1 }), status(working), status(working, { b: 2 })).metadata).toEqual({
      a: 1,
      b: 2,
    });
  });
});

test('a message is added to the history once per message id', () => {
  expect(after({ message: agentMessage('m') }, { message: agentMessage('m', 'again') }).history).toEqual([
    agentMessage('m'),
  ]);
});

describe('an artifact', () => {
  test('replaces the artifact of the same id at the same index', () => {
    const events = [
      { artifactId: 'a', name: 'old', parts: [] },
      { artifactId: 'b', parts: [] },
      { artifactId: 'a', parts: [{ text: 'new' }] },
    ];
    expect(after(...events.map((of) => artifact(of))).artifacts).toEqual([events[2], events[1]]);
  });

  test('is created by an append if it does not exist', () => {
    expect(after(append({ text: 'x' })).artifacts).toEqual([{ artifactId: 'a', parts: [{ text: 'x' }] }]);
  });

  test('takes a name and description that are not empty from an append', () => {
    const first = artifact({ artifactId: 'a', name: 'Report', description: 'long', parts: [] });
    const second = artifact({ artifactId: 'a', name: '', description: 'short', parts: [] }, { append: true });
    expect(after(first, second).artifacts).toEqual([
      { artifactId: 'a', name: 'Report', description: 'short', parts: [] },
    ]);
  });

  test('merges its metadata and extensions with those of an append', () => {
    const first = artifact({ artifactId: 'a', parts: [], metadata: { a: 1, b: 1 }, extensions: ['x', 'y'] });
    const second = artifact(
      { artifactId: 'a', parts: [], metadata: { b: 2 }, extensions: ['y', 'z'] },
      { append: true },
    );
    expect(after(first, second).artifacts?.[0]).toEqual({
      artifactId: 'a',
      parts: [],
      metadata: { a: 1, b: 2 },
      extensions: ['x', 'y', 'z'],
    });
  });

  test('merges the metadata of its update into the task', () => {
    expect(after(artifact({ artifactId: 'a', parts: [] }, { metadata: { cost: 2 } })).metadata).toEqual({ cost: 2 });
  });
});

describe('appended text', () => {
  test('extends the last part', () => {
    expect(
      partsAfter(append({ text: 'Hello' }), append({ text: ', ' }, { text: 'world' }), append({ text: '!' })),
    ).toEqual([{ text: 'Hello, ' }, { text: 'world!' }]);
  });

  test('extends the last part only if both have the same media type', () => {
    const plain = { text: 'a' };
    const markdown = { text: 'b', mediaType: 'text/markdown' };
    expect(partsAfter(append(plain), append(markdown), append(markdown), append(plain))).toEqual([
      plain,
      { ...markdown, text: 'bb' },
      plain,
    ]);
  });

  test.each<Part>([
    { text: 'x', filename: 'f' },
    { text: 'x', metadata: {} },
    { data: 'x' },
    { url: 'x' },
    { raw: '' },
  ])('does not extend a part such as %j', (part) => {
    expect(partsAfter(append(part), append(part))).toEqual([part, part]);
    expect(partsAfter(append(part), append({ text: 'y' }))).toEqual([part, { text: 'y' }]);
  });

  test('joins a surrogate pair that was split', () => {
    expect(partsAfter(append({ text: '\ud83d' }), append({ text: '\ude00' }))).toEqual([{ text: '😀' }]);
  });

  test('is a separate part with coalesceText: false', () => {
    const first = fold(task, append({ text: 'a' }));
    expect(fold(first, append({ text: 'b' }), { coalesceText: false }).artifacts?.[0]?.parts).toEqual([
      { text: 'a' },
      { text: 'b' },
    ]);
  });

  test('without parts changes nothing', () => {
    expect(partsAfter(append({ text: 'a' }), append())).toEqual([{ text: 'a' }]);
  });
});

describe('a task event', () => {
  const stored: Task = {
    ...task,
    history: [agentMessage('m')],
    artifacts: [{ artifactId: 'a', parts: [{ text: 'old' }] }],
    metadata: { a: 1 },
  };

  test('adds messages, artifacts and metadata, and replaces the status and artifacts of the same id', () => {
    const upsert: Task = {
      id: 'other',
      status: { ...working, message: agentMessage('o') },
      history: [agentMessage('m', 'changed'), agentMessage('n')],
      artifacts: [
        { artifactId: 'a', parts: [{ text: 'new' }] },
        { artifactId: 'b', parts: [] },
      ],
      metadata: { b: 2 },
    };
    expect(fold(stored, { task: upsert })).toEqual({
      id: 't',
      contextId: 'c',
      status: upsert.status,
      history: [agentMessage('m'), agentMessage('n'), agentMessage('o')],
      artifacts: upsert.artifacts,
      metadata: { a: 1, b: 2 },
    });
  });

  test('removes nothing that it does not contain', () => {
    expect(fold(stored, { task: { id: 't', status: working } })).toEqual({ ...stored, status: working });
  });
});

test('fold changes neither its task nor its event', () => {
  const freeze = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    Object.values(Object.freeze(value)).forEach(freeze);
  };
  const events = [
    append({ text: 'a' }),
    append({ text: 'b' }),
    status({ ...working, message: agentMessage('m') }, { a: 1 }),
  ];
  freeze([task, events]);
  expect(() => after(...events, ...events)).not.toThrow();
});

describe('a metadata key __proto__', () => {
  const metadata = JSON.parse('{"__proto__":{"polluted":true},"a":1}');

  test('remains a key of the metadata of a task', () => {
    const folded = after(status(working, { b: 2 }), status(working, metadata));
    expect(JSON.stringify(folded.metadata)).toBe('{"b":2,"__proto__":{"polluted":true},"a":1}');
  });

  test('remains a key of the metadata of an artifact', () => {
    const merged = mergeHeader({ artifactId: 'a', metadata: { b: 2 } }, { artifactId: 'a', metadata });
    expect(JSON.stringify(merged.metadata)).toBe('{"b":2,"__proto__":{"polluted":true},"a":1}');
  });

  test('does not set a prototype', () => {
    expect(Reflect.get(after(status(working, metadata)), 'polluted')).toBeUndefined();
  });
});

test.each<[Part, string]>([
  [{ text: 'x' }, '{"text":"'],
  [{ text: 'x', mediaType: 'a"b' }, '{"mediaType":"a\\"b","text":"'],
  [{ text: 'x', filename: 'f' }, ''],
  [{ data: { text: 'x' } }, ''],
])('the JSON of the part %j before its text is %s', (part, opening) => {
  expect(openingOfText(part)).toBe(opening);
  if (opening) expect(JSON.parse(`${opening}x"}`)).toEqual(part);
});
