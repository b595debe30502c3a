import type { Part } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, call, type ErrorBody, post, userMessage } from './support/client.ts';
import { openStage, type Stage } from './support/stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage[Symbol.asyncDispose]());

function send(agent: string, parts: Part[], acceptedOutputModes: string[] = []): Promise<Answer<ErrorBody>> {
  const configuration = { returnImmediately: true, acceptedOutputModes };
  return post(`${stage.url}/agents/${agent}/message:send`, { message: userMessage('', { parts }), configuration });
}

/** The fields refused for their media type. */
async function refused(agent: string, parts: Part[], acceptedOutputModes: string[] = []): Promise<string[]> {
  const { status, body } = await send(agent, parts, acceptedOutputModes);
  if (status === 200) return [];
  expect([status, body.error.details?.[0]?.reason]).toEqual([400, 'CONTENT_TYPE_NOT_SUPPORTED']);
  return (body.error.details?.[1]?.fieldViolations ?? []).map(({ field }) => field);
}

const picture = (mediaType?: string): Part => ({ raw: 'AAAA', ...(mediaType !== undefined && { mediaType }) });

describe('The parts of a message', () => {
  it.each<[string, Part]>([
    ['text', { text: 'hello' }],
    ['text with its media type', { text: 'hello', mediaType: 'text/plain; charset=utf-8' }],
    ['a file without a media type', picture()],
    ['a link without a media type', { url: 'https://example.com/x' }],
    ['a part with an empty media type', { text: 'hello', mediaType: '' }],
  ])('can be %s for an agent that accepts text', async (_what, part) => {
    expect(await refused('echo', [part])).toEqual([]);
  });

  it.each<[string, Part]>([
    ['data', { data: { a: 1 } }],
    ['null as data', { data: null }],
    ['a picture', picture('image/png')],
    ['a link to a picture', { url: 'https://example.com/x', mediaType: 'image/png' }],
    ['text with another media type', { text: '<p>', mediaType: 'text/html' }],
  ])('cannot be %s for an agent that accepts text', async (_what, part) => {
    expect(await refused('echo', [part])).toEqual(['message.parts[0].mediaType']);
  });

  it('are accepted if a range of the agent or one of its skills covers them', async () => {
    expect(await refused('painter', [picture('image/webp'), { data: { a: 1 } }])).toEqual([]);
  });

  it('are each named when they are refused, with the accepted types', async () => {
    const parts = [{ text: 'hello' }, picture('image/png'), picture('video/mp4')];
    expect(await refused('painter', parts)).toEqual(['message.parts[0].mediaType', 'message.parts[2].mediaType']);
    const { body } = await send('painter', parts);
    expect(body.error.details?.[1]?.fieldViolations?.[0]?.description).toContain('image/*, application/json');
    // Clients of an SDK see only the message.
    expect(body.error.message).toMatch(
      /^The agent does not support these media types: message\.parts\[0\].* accepts image/,
    );
  });

  it('are refused with the type that they have, the name of the file, and what the agent takes', async () => {
    const { body } = await send('echo', [{ ...picture('image/png'), filename: 'menu.png' }, { data: 1 }]);
    expect(body.error.message).toContain(
      'message.parts[0].mediaType is "image/png", of "menu.png", which the agent does not accept; it accepts text/plain; ' +
        'message.parts[1].mediaType is "application/json" which',
    );
  });

  it('are refused before anything is stored, also for a stream', async () => {
    const message = userMessage('', { parts: [picture('image/png')], contextId: 'never' });
    const stream = await call<ErrorBody>(`${stage.url}/agents/echo`, 'SendStreamingMessage', { message });
    expect(stream.body.error.code).toBe(-32005);
    const list = await call<{ result: object }>(`${stage.url}/agents/echo`, 'ListTasks', { contextId: 'never' });
    expect(list.body.result).toMatchObject({ totalSize: 0 });
  });
});

describe('The output modes that a client accepts', () => {
  const hello = [{ text: 'hello' }];

  it.each([[[]], [['text/plain']], [['application/json', 'text/*']], [['*/*']]])(
    'can be %j for an agent that answers with text',
    async (modes) => {
      expect(await refused('echo', hello, modes)).toEqual([]);
    },
  );

  it('are refused if the agent produces none of them', async () => {
    expect(await refused('echo', hello, ['image/png', 'application/json'])).toEqual([
      'configuration.acceptedOutputModes',
    ]);
    const { body } = await send('echo', hello, ['image/png', 'application/json']);
    expect(body.error.message).toContain('acceptedOutputModes is "image/png", "application/json": none of the output');
  });

  it('are named together with the refused parts', async () => {
    expect(await refused('painter', hello, ['text/plain'])).toEqual([
      'message.parts[0].mediaType',
      'configuration.acceptedOutputModes',
    ]);
  });

  it('are passed to the turn unchanged', async () => {
    const { body } = await call<{ result: { task: { id: string } } }>(stage.url, 'SendMessage', {
      message: userMessage('hello'),
      configuration: { returnImmediately: true, acceptedOutputModes: ['text/*', 'image/png'] },
    });
    const turn = await stage.beginTurn(body.result.task.id);
    expect(turn.start.acceptedOutputModes).toEqual(['text/*', 'image/png']);
  });
});
