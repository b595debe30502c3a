import { MemoryPort, type MemoryTurn } from '@switchyard/agent/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { report, structured } from '../../../tests/support/model-asker.ts';
import { inTurn, ModelEndpoint, type Script } from '../../../tests/support/model-endpoint.ts';
import { anthropicModel } from '../src/index.ts';
import { apiKey, ask, askForApproval, converse, withoutVersion } from './ask.ts';
import { answers, begin, redacted, says, text, thoughts, usage } from './messages.ts';

describe('the answer of a model', () => {
  it('is the message with which the task completes, without its thoughts', async () => {
    const { state, said } = await ask(answers([thoughts, redacted, text('Hel', 'lo!')]));
    expect([state, said]).toEqual(['TASK_STATE_COMPLETED', 'Hello!']);
  });

  it('is streamed into an artifact, chunk by chunk', async () => {
    const { state, artifacts, port } = await ask(says(['# ', 'Title', '\n']), report);
    expect(state).toBe('TASK_STATE_COMPLETED');
    expect(artifacts).toMatchObject([{ name: 'Report', parts: [{ text: '# Title\n' }] }]);
    expect(port.published.map(({ kind }) => kind)).toEqual(['status', ...Array(4).fill('artifact'), 'status']);
  });

  it('with a schema is an artifact of data', async () => {
    const { artifacts, body } = await ask(says(['{"pizza":"Funghi",', '"size":30}']), structured);
    expect(artifacts).toMatchObject([{ name: 'order', parts: [{ data: { pizza: 'Funghi', size: 30 } }] }]);
    expect(body).toMatchObject({
      output_config: {
        format: { type: 'json_schema', schema: { required: ['pizza', 'size'], additionalProperties: false } },
      },
    });
  });

  it('that toOutcome goes on with is the same after a wait, without another request', async () => {
    const [funghi, salami] = [says(['{"pizza":"Funghi","size":30}']), says(['{"pizza":"Salami","size":30}'])];
    const { answer, requests } = await askForApproval(inTurn(funghi, salami));
    expect([answer, requests]).toEqual(['Funghi of 30 cm', 1]);
  });

  it('that does not match its schema is requested again', async () => {
    const { result } = await ask(says(['{"pizza":1}']), structured);
    expect(result).toMatchObject({
      kind: 'retry',
      error: { message: 'The answer of the model does not match its schema.' },
    });
  });
});

describe('the request to a model', () => {
  const history: MemoryTurn = {
    message: { messageId: 'm2', role: 'ROLE_USER', parts: [{ text: 'Second' }] },
    task: {
      id: 't',
      contextId: 'c',
      status: { state: 'TASK_STATE_SUBMITTED' },
      history: [
        { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: ' ' }] },
        { messageId: 'a1', role: 'ROLE_AGENT', parts: [{ text: 'Yes?' }] },
      ],
    },
  };

  it('has the conversation, the system prompt, the key and the parameters', async () => {
    const settings = { system: 'Be brief.', parameters: { max_tokens: 50, temperature: 0 } };
    const { requests, body } = await ask(says(['ok']), settings, history);
    expect(requests[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
    expect(body).toMatchObject({ model: 'm', stream: true, max_tokens: 50, temperature: 0, system: 'Be brief.' });
    expect(body?.messages).toEqual([
      { role: 'user', content: '(no text)' },
      { role: 'assistant', content: 'Yes?' },
      { role: 'user', content: 'Second' },
    ]);
  });

  it('has pictures and documents before their text', async () => {
    const message = [
      { text: 'Look:' },
      { raw: 'cG5n', mediaType: 'image/png' },
      { raw: 'cGRm', filename: 'b.pdf', mediaType: 'application/pdf' },
    ];
    const { body } = await ask(says(['ok']), {}, { message });
    expect(body?.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'cG5n' } },
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: 'cGRm' },
            title: 'b.pdf',
          },
          { type: 'text', text: 'Look:\n[file (image/png)]\n[file b.pdf (application/pdf)]' },
        ],
      },
    ]);
  });

  it('begins with the user, as the API demands, also with a short history', async () => {
    const { body } = await ask(says(['ok']), { historyLength: 2 }, history);
    expect(body?.messages).toEqual([{ role: 'user', content: 'Second' }]);
  });
});

describe('a turn that ends', () => {
  const scripts: [string, Script][] = [
    ['before the first event', () => undefined],
    ['in the middle of a stream', (response) => begin(response, [text('Hel')])],
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

  it('not while the model thinks: pings are data', async () => {
    const thinksLong: Script = (response, request) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      let pings = 0;
      const timer = setInterval(() => {
        if (++pings < 8) return response.write('event: ping\ndata: {"type": "ping"}\n\n');
        clearInterval(timer);
        return says(['At last'])(response, request);
      }, 60);
    };
    expect((await ask(thinksLong, { timeoutMs: 400 })).said).toBe('At last');
  });
});

describe('what a request has used', () => {
  const whole = { model: 'm-1', inputTokens: 23, outputTokens: 5, cachedTokens: 8, reasoningTokens: 2 };

  it('is counted, with the input that was read from the cache or written to it', async () => {
    expect((await ask(says(['Hello']))).port.used).toEqual([whole]);
    expect((await ask(says(['Hel'], 'max_tokens'))).port.used).toEqual([whole]);
  });

  it('is counted of an answer that broke off, as far as the server said it', async () => {
    const brokenOff: Script = (response) => {
      begin(response, [text('Hel')]);
      setImmediate(() => response.destroy());
    };
    const { port, result } = await ask(brokenOff);
    expect(result).toMatchObject({ kind: 'retry', error: { message: 'The answer of the model broke off.' } });
    expect(port.used).toMatchObject([{ model: 'm-1', inputTokens: 23, outputTokens: usage.output_tokens }]);
  });
});

it('a model that an agent calls itself returns texts and values', async () => {
  await using endpoint = new ModelEndpoint(inTurn(says(['Fine']), says(['{"sum":3}'])));
  const model = anthropicModel({ model: 'm', baseURL: withoutVersion(await endpoint.start()), apiKey });
  const { signal } = new AbortController();
  expect(await model.text({ system: 'Be brief.', prompt: 'How are you?', signal })).toBe('Fine');
  const sum = { name: 'sum', schema: z.object({ sum: z.number() }) };
  expect(await model.value(sum, { prompt: '1+2?', signal })).toEqual({ sum: 3 });
  expect(endpoint.requests[0]?.body).toMatchObject({
    system: 'Be brief.',
    messages: [{ role: 'user', content: 'How are you?' }],
  });
});
