import { Readable } from 'node:stream';
import Anthropic from '@anthropic-ai/sdk';
import { faultOf } from '@switchyard/agent/runtime';
import { MemoryPort } from '@switchyard/agent/testing';
import { describe, expect, it } from 'vitest';
import { answer, ModelEndpoint, type Script } from '../../../tests/support/model-endpoint.ts';
import { apiKey, ask, converse, withoutVersion } from './ask.ts';
import { answers, begin, says, send, text } from './messages.ts';

function refusal(status: number, type: string, message = 'No', headers?: Record<string, string>): Script {
  return answer(status, { type: 'error', error: { type, message }, request_id: 'req_1' }, headers);
}

/** An error event in the middle of a stream, after status 200. */
function failsWith(type: string): Script {
  return (response) => {
    begin(response, [text('Hel')]);
    send(response, { type: 'error', error: { type, message: type } });
    response.end();
  };
}

describe('a model with a temporary error', () => {
  const inAMinute = new Date(Date.now() + 60_000).toISOString();
  const spent = {
    'anthropic-ratelimit-input-tokens-remaining': '0',
    'anthropic-ratelimit-input-tokens-reset': inAMinute,
  };
  const passing: [string, Script, string, number | undefined][] = [
    ['429', refusal(429, 'rate_limit_error', 'Slow', { 'retry-after': '7' }), 'too many requests', 7_000],
    ['429 with a spent limit', refusal(429, 'rate_limit_error', 'Slow', spent), 'too many requests', 60_000],
    ['529', refusal(529, 'overloaded_error', 'Overloaded'), 'not available', undefined],
    ['500', refusal(500, 'api_error'), 'not available', undefined],
    ['overload in a stream', failsWith('overloaded_error'), 'not available', undefined],
    ['a rate limit in a stream', failsWith('rate_limit_error'), 'too many requests', undefined],
    ['an unknown error in a stream', failsWith('novel_error'), 'not available', undefined],
    [
      'an error in a stream that is not JSON',
      sends('event: error\ndata: gateway timed out\n\n'),
      'not available',
      undefined,
    ],
    ['an event that is not JSON', sends('event: message_delta\ndata: {"delta\n\n'), 'broke off', undefined],
    ['a cut connection', (response) => response.destroy(), 'cannot be reached', undefined],
    ['a stream that ends early', sends(''), 'broke off', undefined],
    ['a whole page of HTML', answer(200, '<html>Welcome</html>'), 'broke off', undefined],
    ['an empty answer', answers([]), 'gave no answer', undefined],
    ['an answer of thoughts only', answers([text()]), 'gave no answer', undefined],
    ['an unknown stop reason', says(['Hi'], 'novel'), 'ended in an unknown way', undefined],
  ];

  it.each(passing)('causes a retry of the turn: %s', async (_, script, message, afterMs) => {
    const { result, requests } = await ask(script);
    const error = { name: 'RetryableError', message: expect.stringContaining(message) };
    expect(result).toMatchObject({ kind: 'retry', error });
    const waitMs = result.kind === 'retry' ? result.afterMs : undefined;
    if (afterMs === undefined) expect(waitMs).toBeUndefined();
    else expect(Math.abs((waitMs ?? 0) - afterMs)).toBeLessThan(10_000);
    expect(requests, 'the queue retries the turn; the SDK does not retry').toHaveLength(1);
  });
});

it('a client of the author does not retry either', async () => {
  await using endpoint = new ModelEndpoint(refusal(529, 'overloaded_error'));
  const baseURL = withoutVersion(await endpoint.start());
  const client = new Anthropic({ baseURL, apiKey, maxRetries: 5 });
  const result = await converse('http://models.test', new MemoryPort({ message: 'Hello' }), { client });
  expect(result).toMatchObject({ kind: 'retry', error: { message: 'The model is not available.' } });
  expect(endpoint.requests).toHaveLength(1);
});

describe('a model with a permanent error', () => {
  const tooLong = 'prompt is too long: 210000 tokens > 200000 maximum';
  const noCredit = 'Your credit balance is too low to access the Anthropic API.';
  const final: [string, Script, string][] = [
    ['a wrong key', refusal(401, 'authentication_error'), 'The agent is not allowed to use its model.'],
    ['an unknown model', refusal(404, 'not_found_error'), 'The model does not exist where the agent looks for it.'],
    ['a bad request', refusal(400, 'invalid_request_error'), 'The model refused the request.'],
    [
      'too long a prompt',
      refusal(400, 'invalid_request_error', tooLong),
      'The conversation is too long for the model.',
    ],
    ['too large a request', refusal(413, 'request_too_large'), 'The conversation is too long for the model.'],
    ['a spent balance', refusal(400, 'invalid_request_error', noCredit), 'The quota of the model is used up.'],
    ['thoughts without end', thinksWithoutEnd, 'The answer of the model is too large.'],
    ['the length limit', says(['Once'], 'max_tokens'), 'The answer of the model was cut off at its length limit.'],
    ['a refusal', answers([], 'refusal'), 'The answer of the model was withheld by its content filter.'],
    [
      'a refusal with a reason',
      answers([text('Well')], 'refusal', {
        stop_details: { type: 'refusal', category: null, explanation: 'I must not.' },
      }),
      'The model declined: I must not.',
    ],
  ];

  it.each(final)('fails the task with a text for the client: %s', async (_, script, message) => {
    const { result, state, said } = await ask(script);
    expect([result.kind, state, said]).toEqual(['failed', 'TASK_STATE_FAILED', message]);
    expect('error' in result && faultOf(result.error).kind).toBe('model-refused');
  });

  it('does not reveal the API key, although the server repeats it', async () => {
    const { result, port } = await ask(refusal(401, 'authentication_error', `invalid x-api-key ${apiKey}`));
    expect(JSON.stringify(port.events)).not.toContain(apiKey);
    expect(result).toHaveProperty('error.cause.message', expect.stringContaining('invalid x-api-key ***'));
  });
});

/** So many that a test ends, should they all be read. */
function thinksWithoutEnd(response: Parameters<Script>[0]): void {
  begin(response, []);
  send(response, { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } });
  response.on('error', () => undefined);
  const delta = { type: 'thinking_delta', thinking: 'x'.repeat(1024 ** 2) };
  const event = `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta })}\n\n`;
  Readable.from(Array.from({ length: 70 }, () => event)).pipe(response);
}

/** Begins an answer, and ends with this data. */
function sends(data: string): Script {
  return (response) => {
    begin(response, [text('Hel')]);
    response.end(data);
  };
}
