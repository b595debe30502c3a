import type { PartContent } from '@switchyard/agent';
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
      { raw: 'aGVsbG8=', filename: 'a.zip', mediaType: 'application/zip' },
      { url: 'https://example.com/b.png' },
    ];
    const { request } = await ask(stream(['ok']), {}, { message });
    expect(request?.body.messages[0]?.content).toBe(
      'Look:\n{"a":[1]}\n[file a.zip (application/zip), 5 bytes]\n[file: https://example.com/b.png]',
    );
  });

  describe('has the content of files', () => {
    const png = { raw: 'cG5n', mediaType: 'image/png' };
    const note = { raw: 'aGVsbG8=', filename: 'a.txt', mediaType: 'text/plain' };
    const url = 'https://files.example/b';
    const pdf = { url, filename: 'b.pdf', mediaType: 'application/pdf' };
    const files = { [url]: 'pdf' };
    const contentOf = async (settings: Settings, turn: Partial<MemoryTurn>) =>
      (await ask(stream(['ok']), settings, { files, ...turn })).request?.body.messages.map(({ content }) => content);
    const earlier = (parts: readonly object[]) => ({
      ...conversation,
      task: {
        ...conversation.task,
        history: [{ messageId: 'm1', role: 'ROLE_USER', parts }],
      } as NonNullable<MemoryTurn['task']>,
    });

    it('as pictures and documents beside the text, and of texts in it', async () => {
      expect(await contentOf({}, { message: [{ text: 'Look:' }, png, pdf, note] })).toEqual([
        [
          {
            type: 'text',
            text: 'Look:\n[file (image/png)]\n[file b.pdf (application/pdf)]\n[file a.txt (text/plain)]\nhello',
          },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,cG5n' } },
          { type: 'file', file: { filename: 'b.pdf', file_data: 'data:application/pdf;base64,cGRm' } },
        ],
      ]);
    });

    it('of the types that the agent names, and of no others (files)', async () => {
      const message = [{ text: 'Listen:' }, { raw: 'd2F2', mediaType: 'audio/wav' }, png];
      expect(await contentOf({ files: ['audio/*'] }, { message })).toEqual([
        [
          { type: 'text', text: 'Listen:\n[file (audio/wav)]\n[file (image/png), 3 bytes]' },
          { type: 'input_audio', input_audio: { data: 'd2F2', format: 'wav' } },
        ],
      ]);
      expect(await contentOf({ files: [] }, { message: [png] })).toEqual(['[file (image/png), 3 bytes]']);
    });

    it('up to a sum of bytes, of the latest message first (maxFileBytes)', async () => {
      const turn = { ...earlier([{ ...png, filename: 'old.png' }]), message: [png, pdf] };
      const latest = [
        { type: 'text', text: '[file (image/png)]\n[file b.pdf (application/pdf)]' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,cG5n' } },
        { type: 'file', file: { filename: 'b.pdf', file_data: 'data:application/pdf;base64,cGRm' } },
      ];
      expect(await contentOf({ maxFileBytes: 8 }, turn)).toEqual([
        '[file old.png (image/png): too large to be read here]',
        latest,
      ]);
      const long = { raw: Buffer.alloc(300_000, 'a').toString('base64'), mediaType: 'text/plain' };
      expect(await contentOf({}, { message: [long] })).toEqual(['[file (text/plain): too large to be read here]']);
    });

    const heic = { raw: 'aGVpYw==', filename: 'photo.heic', mediaType: 'image/heic' };
    const untyped = { url: 'https://files.example/plan' };
    const long = { raw: Buffer.alloc(300_000, 'a').toString('base64'), filename: 'a.txt', mediaType: 'text/plain' };
    const types =
      'image/png, image/jpeg, image/gif, image/webp, application/pdf, text/plain, text/markdown, text/csv, application/json';
    const others = [
      [heic, {}, 'photo.heic', 'image/heic', `its media type is not among those that are read here: ${types}`],
      [untyped, {}, untyped.url, 'none', `it has no media type, so it is not among those that are read here: ${types}`],
      [png, { files: [] }, undefined, 'image/png', 'no files are read here'],
      [
        ...[long, {}, 'a.txt', 'text/plain'],
        'it is too large: a text may have at most 262144 bytes, and all files that are read at a time at most 20971520 bytes',
      ],
      [
        ...[pdf, { maxFileBytes: 2 }, 'b.pdf', 'application/pdf'],
        'it is too large: all files that are read at a time at most 2 bytes',
      ],
    ] as [Exclude<PartContent, string | readonly unknown[]>, Settings, string | undefined, string, string][];

    it.each(others)('or else the log says why not: %j', async (part, settings, file, mediaType, why) => {
      const { state, port } = await ask(stream(['ok']), settings, { message: [part, note], files });
      expect(state).toBe('TASK_STATE_COMPLETED');
      const text = 'The model does not get a file of the client';
      const noteIsLeftOut = settings.files?.length === 0 || settings.maxFileBytes !== undefined;
      expect(port.logged).toHaveLength(noteIsLeftOut ? 2 : 1);
      expect(port.logged[0]).toEqual({ level: 'warn', text, fields: { file, mediaType, why } });
    });

    it.each(others)('or else the task can fail with the reason (otherFiles): %j', async (part, settings, ...rest) => {
      const given = { ...settings, otherFiles: 'fail' } as Settings;
      const turn = { message: [part], files };
      const { state, statusText, requests } = await ask(stream(['ok']), given, turn);
      const [file, mediaType, why] = rest;
      expect([state, requests]).toEqual(['TASK_STATE_FAILED', 0]);
      const named = file === undefined || file.startsWith('https:') ? 'file' : `file ${file}`;
      expect(statusText).toBe(`The ${named}${mediaType === 'none' ? '' : ` (${mediaType})`} cannot be read: ${why}.`);
      // Files of earlier messages failed their own turns.
      expect((await ask(stream(['ok']), given, { ...earlier([part]), files })).state).toBe('TASK_STATE_COMPLETED');
    });

    it('unless one of an earlier message is gone; without one of its own message the turn fails', async () => {
      const reason = `There is no file ${url}. A test gives it with the option "files".`;
      expect(await contentOf({}, { ...earlier([pdf]), files: {} })).toEqual([
        `[file b.pdf (application/pdf): ${reason}]`,
        'Second',
      ]);
      const { state, statusText, requests } = await ask(stream(['ok']), {}, { message: [pdf] });
      expect([state, statusText, requests]).toEqual(['TASK_STATE_FAILED', reason, 0]);
    });
  });

  it('contains the API key and the parameters', async () => {
    const { request } = await ask(stream(['ok']), { parameters: { temperature: 0 } });
    expect(request?.headers.authorization).toBe(`Bearer ${apiKey}`);
    expect(request?.body).toMatchObject({ model: 'm', stream: true, temperature: 0 });
  });
});
