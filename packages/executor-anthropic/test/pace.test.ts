import { expect, it } from 'vitest';
import { answer, inTurn, ModelEndpoint, type Script } from '../../../tests/support/model-endpoint.ts';
import { pacedPort } from '../../../tests/support/paced-port.ts';
import { apiKey, converse } from './ask.ts';
import { says } from './messages.ts';

const error = { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down' } };

async function pacedTurn(...script: Script[]) {
  const { port, asked, corrections } = pacedPort();
  await using endpoint = new ModelEndpoint(inTurn(...script));
  const baseURL = await endpoint.start();
  const result = await converse(baseURL, port);
  return { asked, corrections, result, host: new URL(baseURL).host, requests: endpoint.requests.length };
}

it('waits with everybody after a refusal, and asks again in the same attempt', async () => {
  const busy = answer(429, error, { 'retry-after': '7' });
  const { asked, corrections, result, requests, host } = await pacedTurn(busy, says(['Hello']));
  expect([result.kind, requests]).toEqual(['settled', 2]);
  expect(asked).toMatchObject([{ name: `${host}/m` }, { name: `${host}/m` }]);
  expect(JSON.stringify(asked)).not.toContain(apiKey);
  expect(corrections).toContainEqual({ pausedMs: 7_000 });
  expect(corrections.at(-1)).toEqual({ tokens: 23 + 5 - (asked[1]?.tokens ?? 0) });
});

it('lets everybody wait if an answer says that nothing is left', async () => {
  const last: Script = (response, request) => {
    const reset = new Date(Date.now() + 90_000).toISOString();
    response.setHeader('anthropic-ratelimit-output-tokens-remaining', '0');
    response.setHeader('anthropic-ratelimit-output-tokens-reset', reset);
    says(['Hello'])(response, request);
  };
  expect((await pacedTurn(last)).corrections).toContainEqual({ pausedMs: 60_000 });
});
