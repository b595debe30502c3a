import type { MemoryTurn } from '@switchyard/agent/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { stream, streamChoices, whole } from '../../../tests/support/model-endpoint.ts';
import { apiKey, ask, order, report, type Settings } from './ask.ts';

describe('the answer of a model', () => {
  it('is the message with which the task completes', async () => {
    const { state, statusText, port } = await ask(stream(['Hel', 'lo', '!']));
    expect([state, statusText]).toEqual(['TASK_STATE_COMPLETED', 'Hello!']);
    expect(port.published).toMatchObject([{ state: 'TASK_STATE_WORKING' }, { state: 'TASK_STATE_COMPLETED' }]);
  });

  it('is streamed into an artifact, chunk by chunk', async () => {
    const { state, statusText, artifacts, port } = await ask(stream(['# ', 'Title', '\n']), report);
    expect([state, statusText]).toEqual(['TASK_STATE_COMPLETED', undefined]);
    expect(artifacts).toMatchObject([{ name: 'Report', parts: [{ text: '# Title\n', mediaType: 'text/markdown' }] }]);
    expect(port.published.map(({ kind }) => kind)).toEqual(['status', ...Array(4).fill('artifact'), 'status']);
  });

  it('is the text only, where a server also sends results of a content filter (Azure) or thoughts (Mistral)', async () => {
    const script = streamChoices([
      { delta: { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'A greeting.' }] }] } },
      { delta: { content: [{ type: 'text', text: 'Hel' }] } },
      { delta: { content: 'lo!' }, finish_reason: 'stop' },
      { finish_reason: null, content_filter_results: {}, content_filter_offsets: { check_offset: 44 } },
    ]);
    const { state, artifacts } = await ask(script, report);
    expect([state, artifacts?.[0]?.parts]).toEqual([
      'TASK_STATE_COMPLETED',
      [{ text: 'Hello!', mediaType: 'text/markdown' }],
    ]);
  });

  it.each([
    [[], 'text/markdown'],
    [['text/*'], 'text/markdown'],
    [['text/plain'], 'text/plain'],
    [['image/png'], 'text/markdown'],
  ])('for a client that accepts %j has the media type %s in an artifact', async (acceptedOutputModes, type) => {
    const { artifacts } = await ask(stream(['# Title']), report, { acceptedOutputModes });
    expect(artifacts?.[0]?.parts[0]?.mediaType).toBe(type);
  });

  it.each([
    [[], { data: { pizza: 'Funghi', size: 30 }, mediaType: 'application/json' }],
    [['application/json'], { data: { pizza: 'Funghi', size: 30 }, mediaType: 'application/json' }],
    [['text/plain'], { text: '{\n  "pizza": "Funghi",\n  "size": 30\n}', mediaType: 'text/plain' }],
  ])(
    'with a schema is an artifact of data, or of text, for a client that accepts %j',
    async (acceptedOutputModes, part) => {
      const { toOutcome: _, ...structured } = order.structured ?? { name: '', schema: z.never() };
      const { state, artifacts } = await ask(
        whole({ content: '{"pizza":"Funghi","size":30}' }),
        { structured } as Settings,
        { acceptedOutputModes },
      );
      expect(state).toBe('TASK_STATE_COMPLETED');
      expect(artifacts).toMatchObject([{ name: 'order', parts: [part] }]);
    },
  );

  it('with a schema is parsed, and turned into an outcome by the agent (toOutcome)', async () => {
    const { statusText, request } = await ask(whole({ content: '{"pizza":"Funghi","size":30}' }), order);
    expect(statusText).toBe('Funghi of 30 cm');
    expect(request?.body.response_format).toMatchObject({
      type: 'json_schema',
      json_schema: {
        name: 'order',
        strict: true,
        schema: { required: ['pizza', 'size'], additionalProperties: false },
      },
    });
  });
});

describe('the request to a model', () => {
  const conversation: MemoryTurn = {
    message: { messageId: 'm2', role: 'ROLE_USER', parts: [{ text: 'Second' }] },
    task: {
      id: 't',
      contextId: 'c',
      status: { state: 'TASK_STATE_SUBMITTED' },
      history: [
        { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'First' }] },
        { messageId: 'm2', role: 'ROLE_USER', parts: [{ text: 'Second' }] },
        { messageId: 'm3', role: 'ROLE_USER', parts: [{ text: 'Third, and it waits for its turn' }] },
        { messageId: 'a1', role: 'ROLE_AGENT', parts: [{ text: 'Answer to the first' }] },
      ],
    },
  };

  it('contains the conversation with roles, with the message of the turn last', async () => {
    const { request } = await ask(stream(['ok']), { system: 'Be brief.' }, conversation);
    expect(request?.body.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'First' },
      { role: 'assistant', content: 'Answer to the first' },
      { role: 'user', content: 'Second' },
    ]);
  });

  it('can be limited to the latest messages (historyLength)', async () => {
    const { request } = await ask(stream(['ok']), { historyLength: 2 }, conversation);
    expect(request?.body.messages.map(({ content }) => content)).toEqual(['Answer to the first', 'Second']);
  });

  it('has the message of the turn with historyLength 0, too', async () => {
    const { request } = await ask(stream(['ok']), { historyLength: 0 }, conversation);
    expect(request?.body.messages.map(({ content }) => content)).toEqual(['Second']);
  });

  it('contains data as JSON, and the names of files', async () => {
    const message = [
      { text: 'Look:' },
      { data: { a: [1] } },
      { raw: 'aGVsbG8=', filename: 'a.txt', mediaType: 'text/plain' },
      { url: 'https://example.com/b.png' },
    ];
    const { request } = await ask(stream(['ok']), {}, { message });
    expect(request?.body.messages[0]?.content).toBe(
      'Look:\n{"a":[1]}\n[file a.txt (text/plain), 5 bytes]\n[file: https://example.com/b.png]',
    );
  });

  it('contains the API key and the parameters', async () => {
    const { request } = await ask(stream(['ok']), { parameters: { temperature: 0 } });
    expect(request?.headers.authorization).toBe(`Bearer ${apiKey}`);
    expect(request?.body).toMatchObject({ model: 'm', stream: true, temperature: 0 });
  });
});
