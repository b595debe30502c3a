import type { ServerResponse } from 'node:http';
import { faultOf } from '@switchyard/agent/runtime';
import { MemoryPort } from '@switchyard/agent/testing';
import { describe, expect, it } from 'vitest';
import {
  answer,
  ModelEndpoint,
  refusal,
  type Script,
  send,
  stream,
  whole,
} from '../../../tests/support/model-endpoint.ts';
import { apiKey, ask, converse, order, report, type Settings } from './ask.ts';

describe('a model with a temporary error', () => {
  const passing: [string, Script, number | undefined][] = [
    ['429 with Retry-After in seconds', refusal(429, 'rate_limit_exceeded', { 'retry-after': '7' }), 7000],
    [
      '429 with retry-after-ms',
      refusal(429, 'rate_limit_exceeded', { 'retry-after-ms': '250', 'retry-after': '1' }),
      250,
    ],
    ['429 with a Retry-After of a year', refusal(429, 'rate_limit_exceeded', { 'retry-after': '31536000' }), 3_600_000],
    [
      '429 until a date that has passed',
      refusal(429, 'x', { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' }),
      undefined,
    ],
    ['429 without Retry-After', refusal(429, 'rate_limit_exceeded'), undefined],
    ['500', answer(500, { error: { message: 'boom' } }), undefined],
    ['503 with HTML', answer(503, '<html>Down</html>', { 'retry-after': '1' }), 1000],
    ['408', refusal(408, 'timeout'), undefined],
    ['a connection that is cut at once', (response) => response.destroy(), undefined],
    ['HTML with status 200', answer(200, '<html>Welcome</html>'), undefined],
  ];

  it.each(passing)('causes a retry of the turn: %s', async (_, script, afterMs) => {
    for (const settings of [{}, order]) {
      const { result, port, requests } = await ask(script, settings);
      expect(result).toMatchObject({ kind: 'retry', afterMs, error: { name: 'RetryableError' } });
      expect(port.current.status.state).toBe('TASK_STATE_WORKING');
      expect(requests, 'the queue retries the turn; the HTTP client does not retry').toBe(1);
    }
  });

  it('causes a retry of the turn when the connection is refused', async () => {
    const endpoint = new ModelEndpoint(stream([]));
    const baseURL = await endpoint.start();
    await endpoint[Symbol.asyncDispose]();
    const port = new MemoryPort({ message: 'Hello' });
    const result = await converse(baseURL, port);
    expect(result).toMatchObject({ kind: 'retry', error: { message: 'The model cannot be reached.' } });
    expect(result).toHaveProperty('error.cause.message', expect.stringContaining('ECONNREFUSED'));
  });

  const silent: [string, Script, Settings][] = [
    ['before its first chunk', () => undefined, {}],
    ['in the middle of a stream', (response) => send(response, ['Hel']), report],
    ['with a structured answer', () => undefined, order],
    [
      'after the headers of a structured answer',
      (response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
      order,
    ],
  ];

  it.each(silent)('causes a retry of the turn after timeoutMs without data %s', async (_, script, settings) => {
    const { result } = await ask(script, { ...settings, timeoutMs: 50 });
    expect(result).toMatchObject({ kind: 'retry', error: { message: 'The model did not answer in time.' } });
  });

  it('does not come of a timeoutMs of Infinity', async () => {
    const { statusText } = await ask(stream(['Hello']), { timeoutMs: Number.POSITIVE_INFINITY });
    expect(statusText).toBe('Hello');
    await expect(ask(stream([]), { timeoutMs: 2 ** 31 })).rejects.toThrow('timeoutMs is 2147483648 and must be');
  });

  it('may take longer than timeoutMs while it sends data', async () => {
    const slow: Script = (response) => {
      send(response, ['0 ']);
      let chunks = 0;
      const timer = setInterval(() => {
        if (++chunks < 8) return response.write(`data: {"choices":[{"index":0,"delta":{"content":"${chunks} "}}]}\n\n`);
        clearInterval(timer);
        return response.end('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
      }, 60);
    };
    const { statusText } = await ask(slow, { timeoutMs: 400 });
    expect(statusText).toBe('0 1 2 3 4 5 6 7 ');
  });

  const cut: [string, Script][] = [
    ['the connection breaks', cutBy((response) => setImmediate(() => response.destroy()))],
    ['the stream ends early', cutBy((response) => response.end())],
    ['a chunk is not JSON', cutBy((response) => response.end('data: {"choi\n\n'))],
    ['the stream has an error', cutBy((response) => response.end('data: {"error":{"message":"overloaded"}}\n\n'))],
  ];

  it.each(cut)('has its incomplete answer replaced by the next attempt when %s', async (_, script) => {
    const first = await ask(script, report);
    expect(first.result).toMatchObject({ kind: 'retry', error: { name: 'RetryableError' } });
    const { current: task, input } = first.port;
    const { artifacts } = await ask(stream(['Hello']), report, { task, message: input.message, attempt: 2 });
    expect(artifacts).toMatchObject([{ parts: [{ text: 'Hello' }] }]);
  });

  const malformed: [string, string, string][] = [
    ['not JSON', '{"pizza":', 'The answer of the model does not match its schema.'],
    ['of another type', '{"pizza":1}', 'The answer of the model does not match its schema.'],
    ['empty', '', 'The model gave no answer.'],
  ];

  it.each(malformed)('causes a retry of the turn when its structured answer is %s', async (_, content, message) => {
    const { result } = await ask(whole({ content }), order);
    expect(result).toMatchObject({ kind: 'retry', error: { message } });
  });

  it('causes a retry of the turn when its answer is empty', async () => {
    for (const settings of [{}, report]) {
      expect((await ask(stream([]), settings)).result).toMatchObject({
        kind: 'retry',
        error: { message: 'The model gave no answer.' },
      });
    }
  });

  it('fails the task with a text for the client in the last attempt', async () => {
    const { state, statusText } = await ask(refusal(429, 'x'), {}, { attempt: 3, isLastAttempt: true });
    expect([state, statusText]).toEqual([
      'TASK_STATE_FAILED',
      'The agent gave up after 3 attempts: The model is receiving too many requests.',
    ]);
  });
});

describe('a model with a permanent error', () => {
  const final: [string, Script, string][] = [
    ['a wrong key', refusal(401, 'invalid_api_key'), 'The agent is not allowed to use its model.'],
    ['no permission', refusal(403, 'forbidden'), 'The agent is not allowed to use its model.'],
    ['an unknown model', refusal(404, 'model_not_found'), 'The model does not exist where the agent looks for it.'],
    ['a bad request', refusal(400, 'bad'), 'The model refused the request.'],
    ['a code that names a member of objects', refusal(400, 'constructor'), 'The model refused the request.'],
    ['too long a conversation', refusal(400, 'context_length_exceeded'), 'The conversation is too long for the model.'],
    ['a spent quota', refusal(429, 'insufficient_quota'), 'The quota of the model is used up.'],
    ['the length limit', stream(['Once'], 'length'), 'The answer of the model was cut off at its length limit.'],
    [
      'the content filter',
      stream(['Once'], 'content_filter'),
      'The answer of the model was withheld by its content filter.',
    ],
  ];

  it.each(final)('fails the task with a text for the client: %s', async (_, script, text) => {
    const { result, state, statusText } = await ask(script);
    expect([result.kind, state, statusText]).toEqual(['failed', 'TASK_STATE_FAILED', text]);
    expect('error' in result && faultOf(result.error).kind).toBe('model-refused');
  });

  it('fails the task with the text of its refusal', async () => {
    const { statusText } = await ask(whole({ refusal: 'I cannot help with that.' }), order);
    expect(statusText).toBe('The model declined: I cannot help with that.');
  });

  it('does not reveal the API key, although the server repeats it in its error', async () => {
    const script = answer(401, { error: { message: `Incorrect API key provided: ${apiKey}` } });
    const { result, port } = await ask(script);
    expect(JSON.stringify(port.events)).not.toContain(apiKey);
    expect(result).toHaveProperty('error.cause.message', '401 Incorrect API key provided: ***');
  });
});

/** Sends half of an answer, then calls `cut`. */
function cutBy(cut: (response: ServerResponse) => unknown): Script {
  return (response) => {
    send(response, ['Hel']);
    cut(response);
  };
}
