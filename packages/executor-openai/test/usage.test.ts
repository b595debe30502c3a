import { MemoryPort } from '@switchyard/agent/testing';
import { expect, it } from 'vitest';
import {
  answer,
  inTurn,
  ModelEndpoint,
  refusal,
  type Script,
  stream,
  streamChoices,
  whole,
} from '../../../tests/support/model-endpoint.ts';
import { ask, converse } from './ask.ts';

const usage = {
  prompt_tokens: 12,
  completion_tokens: 5,
  prompt_tokens_details: { cached_tokens: 8 },
  completion_tokens_details: { reasoning_tokens: 3 },
};
const used = { model: 'm', inputTokens: 12, outputTokens: 5, cachedTokens: 8, reasoningTokens: 3 };

/** Streams a text, then a chunk with the usage, as OpenAI does. */
const streamWithUsage: Script = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const choices = [{ delta: { content: 'Hello' }, finish_reason: 'stop' }];
  for (const chunk of [
    { model: 'm-1', choices },
    { model: 'm-1', choices: [], usage },
  ])
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  response.end('data: [DONE]\n\n');
};

it('asks for the usage of a stream, and counts it', async () => {
  const { port, request } = await ask(streamWithUsage);
  expect(request?.body).toMatchObject({ stream_options: { include_usage: true } });
  expect(port.used).toEqual([{ ...used, model: 'm-1' }]);
});

it('asks a server that refuses the option without it, once, and from then on', async () => {
  const refused = answer(400, { error: { message: 'Unrecognized request argument: stream_options', type: 'error' } });
  await using endpoint = new ModelEndpoint(inTurn(refused, stream(['Hello'])));
  const ports = [new MemoryPort({ message: 'Hello' }), new MemoryPort({ message: 'Hello' })];
  const baseURL = await endpoint.start();
  const [first, second] = ports as [MemoryPort, MemoryPort];
  await converse(baseURL, first);
  expect(endpoint.requests.map(({ body }) => body.stream_options)).toEqual([{ include_usage: true }, undefined]);
  // A request without usage is counted without tokens.
  expect(first.used).toMatchObject([{ model: 'm', inputTokens: undefined }]);
  await converse(baseURL, second);
  expect(second.current.status.state).toBe('TASK_STATE_COMPLETED');
});

it('counts an answer that broke off or was cut off, and no request that was refused', async () => {
  const cutOff = answer(200, {
    model: 'm',
    choices: [{ message: { content: 'Hel' }, finish_reason: 'length' }],
    usage,
  });
  expect((await ask(cutOff)).port.used).toEqual([used]);
  const brokenOff: Script = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"model":"m","choices":[{"delta":{"content":"Hel"}}]}\n\n', () => response.destroy());
  };
  expect((await ask(brokenOff)).port.used).toMatchObject([{ model: 'm', outputTokens: undefined }]);
  expect((await ask(refusal(429, 'rate_limit'))).port.used).toEqual([]);
});

it('counts an answer in one piece, and that the server names no tokens', async () => {
  const { port } = await ask(whole({ content: 'Hello' }), {});
  expect(port.used).toMatchObject([{ inputTokens: undefined }]);
  expect((await ask(streamChoices([{ delta: { content: 'x' }, finish_reason: 'stop' }]))).port.used).toHaveLength(1);
});
