import { MemoryPort } from '@switchyard/agent/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { report, structured } from '../../../tests/support/model-asker.ts';
import {
  answer,
  callTools,
  inTurn,
  ModelEndpoint,
  refusal,
  type Script,
  send,
  stream,
  streamChoices,
} from '../../../tests/support/model-endpoint.ts';
import { pacedPort } from '../../../tests/support/paced-port.ts';
import { aiModel } from '../src/index.ts';
import { apiKey, ask, askForApproval, askWithTools, converse, modelAt } from './ask.ts';

describe('the answer of a model', () => {
  it('is the message with which the task completes', async () => {
    const { state, said, body } = await ask(stream(['Hel', 'lo!']), { system: 'Be brief.' });
    expect([state, said]).toEqual(['TASK_STATE_COMPLETED', 'Hello!']);
    expect(body?.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ]);
  });

  it('is streamed into an artifact, chunk by chunk', async () => {
    const { artifacts, port } = await ask(stream(['# ', 'Title', '\n']), report);
    expect(artifacts).toMatchObject([{ name: 'Report', parts: [{ text: '# Title\n' }] }]);
    expect(port.published.map(({ kind }) => kind)).toEqual(['status', ...Array(4).fill('artifact'), 'status']);
  });

  it('with a schema is an artifact of data', async () => {
    const { artifacts, body } = await ask(stream(['{"pizza":"Funghi",', '"size":30}']), structured);
    expect(artifacts).toMatchObject([{ name: 'order', parts: [{ data: { pizza: 'Funghi', size: 30 } }] }]);
    expect(body?.response_format).toMatchObject({ json_schema: { name: 'order', schema: { type: 'object' } } });
  });

  it('that toOutcome goes on with is the same after a wait, without another request', async () => {
    const [first, second] = [stream(['{"pizza":"Funghi","size":30}']), stream(['{"pizza":"Salami","size":30}'])];
    const { answer: said, requests } = await askForApproval(inTurn(first, second));
    expect([said, requests]).toEqual(['Funghi of 30 cm', 1]);
  });

  it('that does not match its schema is requested again', async () => {
    const { result } = await ask(stream(['{"pizza":1}']), structured);
    const message = 'The answer of the model does not match its schema.';
    expect(result).toMatchObject({ kind: 'retry', error: { message } });
  });
});

it('sends the pictures of a message to the model', async () => {
  const message = [{ text: 'Look:' }, { raw: 'cG5n', mediaType: 'image/png' }];
  const { body } = await ask(stream(['A cat']), {}, { message });
  expect(body?.messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look:\n[file (image/png)]' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,cG5n' } },
      ],
    },
  ]);
});

describe('the tools of a model', () => {
  const funghi = { id: 'c1', name: 'order_pizza', args: '{"pizza":"Funghi","size":30}' };
  const rome = { id: 'c2', name: 'weather', args: '{"city":"Rome"}' };

  it('run when the model calls them; the model receives their results', async () => {
    const { answer: said, orders, asked } = await askWithTools(inTurn(callTools([funghi, rome]), stream(['Coming'])));
    expect([said, orders, asked.length]).toEqual(['Coming', [{ pizza: 'Funghi', size: 30 }], 2]);
    expect(asked[0]?.tools).toMatchObject([
      { function: { name: 'order_pizza', parameters: { required: ['pizza', 'size'] } } },
      { function: { name: 'weather' } },
    ]);
    expect(asked[1]?.messages.slice(1)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'c1', function: { arguments: funghi.args } }, { id: 'c2' }] },
      { role: 'tool', tool_call_id: 'c1', content: '{"number":1,"size":"30.0"}' },
      { role: 'tool', tool_call_id: 'c2', content: 'Sunny in ROME' },
    ]);
  });

  it.each([
    ['wrong arguments', '{"pizza":"Funghi"}', 'the arguments are wrong'],
    ['arguments that are not JSON', '{"pizza":', 'the arguments are not JSON'],
  ])('report an invalid call to the model: %s', async (_, args, problem) => {
    const { orders, asked } = await askWithTools(inTurn(callTools([{ ...funghi, args }]), stream(['Sorry'])));
    expect(orders).toEqual([]);
    const results = asked[1]?.messages.filter(({ role }) => role === 'tool');
    expect(results).toMatchObject([{ content: expect.stringContaining(problem) }]);
  });

  it('are disabled after maxToolRounds, so that the model must answer', async () => {
    const script = inTurn(callTools([funghi]), callTools([funghi]), stream(['Enough']));
    const { answer: said, asked } = await askWithTools(script, { maxToolRounds: 2 });
    expect(said).toBe('Enough');
    expect(asked.map((body) => body.tool_choice)).toEqual(['auto', 'auto', 'none']);
  });

  it('run once in a turn that is retried, and answers are not requested again', async () => {
    const script = inTurn(callTools([funghi], ['One moment']), answer(503, '<html>Down</html>'), stream(['Done']));
    const { answer: said, orders, asked, task } = await askWithTools(script);
    expect([said, orders.length, asked.length]).toEqual(['Done', 1, 3]);
    expect(asked[2]?.messages).toEqual(asked[1]?.messages);
    expect(task.history?.map(({ parts }) => parts[0]?.text)).toEqual(['A pizza, please', 'One moment', 'Done']);
  });
});

describe('a turn that ends', () => {
  const scripts: [string, Script][] = [
    ['before the first chunk', () => undefined],
    ['in the middle of a stream', (response) => send(response, ['Hel'])],
  ];

  it.each(scripts)('when it is canceled closes the connection to the model %s', async (_, script) => {
    await using endpoint = new ModelEndpoint(script);
    const port = new MemoryPort({ message: 'Hello' });
    const turn = converse(await endpoint.start(), port, report);
    await endpoint.asked;
    if (script === scripts[1]?.[1]) await port.until(({ artifacts }) => artifacts !== undefined);
    port.interrupt('canceled');
    await expect(turn).resolves.toMatchObject({ kind: 'interrupted', reason: { kind: 'canceled' } });
    await expect(endpoint.answeredWholly).resolves.toBe(false);
  });

  it.each(scripts)('after timeoutMs without data is retried %s', async (_, script) => {
    const { result } = await ask(script, { timeoutMs: 50 });
    expect(result).toMatchObject({ kind: 'retry', error: { message: 'The model did not answer in time.' } });
  });
});

describe('an error of a model', () => {
  const breaks: Script = (response) => {
    send(response, ['Hel']);
    setTimeout(() => response.destroy(), 20);
  };
  const sends =
    (data: string): Script =>
    (response) => {
      send(response, ['Hel']);
      response.end(data);
    };

  const passing: [string, Script, string, number | undefined][] = [
    ['429', refusal(429, 'rate_limit', { 'retry-after': '7' }), 'too many requests', 7_000],
    ['500', refusal(500, 'server_error'), 'not available', undefined],
    ['503 with HTML', answer(503, '<html>Down</html>', { 'retry-after': '1' }), 'not available', 1_000],
    ['HTML with status 200', answer(200, '<html>Welcome</html>'), 'broke off', undefined],
    ['a cut connection', (response) => response.destroy(), 'cannot be reached', undefined],
    ['a connection that is cut in a stream', breaks, 'broke off', undefined],
    ['a stream that ends early', sends(''), 'broke off', undefined],
    [
      'an error in a stream, which the SDK does not throw',
      sends('data: {"error":{"message":"overloaded"}}\n\n'),
      'not available',
      undefined,
    ],
    ['a chunk that is not JSON', sends('data: {"choi\n\n'), 'broke off', undefined],
    ['an empty answer', stream([]), 'gave no answer', undefined],
  ];

  it.each(passing)('causes a retry of the turn: %s', async (_, script, message, afterMs) => {
    const { result, requests } = await ask(script);
    expect(result).toMatchObject({ kind: 'retry', error: { message: expect.stringContaining(message) } });
    expect(result.kind === 'retry' && result.afterMs).toBe(afterMs);
    expect(requests, 'the queue retries the turn; the SDK does not retry').toHaveLength(1);
  });

  const final: [string, Script, string][] = [
    ['a wrong key', refusal(401, 'invalid_api_key'), 'The agent is not allowed to use its model.'],
    ['an unknown model', refusal(404, 'model_not_found'), 'The model does not exist where the agent looks for it.'],
    ['a bad request', refusal(400, 'bad'), 'The model refused the request.'],
    ['too long a conversation', refusal(400, 'context_length_exceeded'), 'The conversation is too long for the model.'],
    ['a spent quota', refusal(429, 'insufficient_quota'), 'The quota of the model is used up.'],
    ['the length limit', stream(['Once'], 'length'), 'The answer of the model was cut off at its length limit.'],
    ['the filter', stream(['Once'], 'content_filter'), 'The answer of the model was withheld by its content filter.'],
  ];

  it.each(final)('fails the task with a text for the client: %s', async (_, script, message) => {
    const { result, state, said } = await ask(script);
    expect([result.kind, state, said]).toEqual(['failed', 'TASK_STATE_FAILED', message]);
  });

  it('does not reveal the API key, although the server repeats it', async () => {
    const { result, port } = await ask(answer(401, { error: { message: `Incorrect API key: ${apiKey}` } }));
    expect(JSON.stringify(port.events)).not.toContain(apiKey);
    expect(result).toHaveProperty('error.cause.message', 'Incorrect API key: ***');
  });
});

const usage = {
  prompt_tokens: 12,
  completion_tokens: 5,
  prompt_tokens_details: { cached_tokens: 8 },
  completion_tokens_details: { reasoning_tokens: 3 },
};

it('what a request has used is counted, also of an answer that was cut off', async () => {
  for (const finish_reason of ['stop', 'length']) {
    const { port, body } = await ask(streamChoices([{ delta: { content: 'Hel' }, finish_reason }], { usage }));
    expect(body?.stream_options).toEqual({ include_usage: true });
    expect(port.used).toEqual([
      { model: 'm', inputTokens: 12, outputTokens: 5, cachedTokens: 8, reasoningTokens: 3, microUsd: undefined },
    ]);
  }
  const brokenOff = await ask((response) => send(response, ['Hel']), { timeoutMs: 50 });
  expect(brokenOff.port.used).toMatchObject([{ model: 'm', inputTokens: undefined }]);
  expect((await ask(refusal(429, 'rate_limit'))).port.used).toEqual([]);
});

it('a request waits with everybody after a refusal, and is sent again in the same attempt', async () => {
  const { port, asked, corrections } = pacedPort();
  const busy = refusal(429, 'rate_limit', { 'retry-after': '7' });
  const last: Script = (response, request) => {
    response.setHeader('x-ratelimit-remaining-tokens', '0').setHeader('x-ratelimit-reset-tokens', '1m30s');
    streamChoices([{ delta: { content: 'Hi' }, finish_reason: 'stop' }], { usage })(response, request);
  };
  await using endpoint = new ModelEndpoint(inTurn(busy, last));
  expect(await converse(await endpoint.start(), port)).toMatchObject({ kind: 'settled' });
  expect(asked).toMatchObject([{ name: 'shop/m' }, { name: 'shop/m' }]);
  expect(corrections).toContainEqual({ pausedMs: 7_000 });
  expect(corrections).toContainEqual({ pausedMs: 60_000 });
  expect(corrections).toContainEqual({ tokens: 17 - (asked[1]?.tokens ?? 0) });
});

it('a model that an agent calls itself returns texts and values', async () => {
  await using endpoint = new ModelEndpoint(inTurn(stream(['Fine']), stream(['{"sum":3}'])));
  const model = aiModel({ model: modelAt(await endpoint.start()) });
  const { signal } = new AbortController();
  expect(await model.text({ system: 'Be brief.', prompt: 'How are you?', signal })).toBe('Fine');
  const sum = { name: 'sum', schema: z.object({ sum: z.number() }) };
  expect(await model.value(sum, { prompt: '1+2?', signal })).toEqual({ sum: 3 });
});
