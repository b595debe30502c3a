import { expect, it } from 'vitest';
import { answer, inTurn, ModelEndpoint, refusal, type Script, stream } from '../../../tests/support/model-endpoint.ts';
import { pacedPort } from '../../../tests/support/paced-port.ts';
import { apiKey, converse } from './ask.ts';

const answered: Script = answer(200, {
  model: 'm',
  choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1_000, completion_tokens: 7 },
});

/** A turn whose worker has room for every request. */
async function pacedTurn(...script: Script[]) {
  const { port, asked, corrections } = pacedPort();
  await using endpoint = new ModelEndpoint(inTurn(...script));
  const baseURL = await endpoint.start();
  const result = await converse(baseURL, port);
  return { asked, corrections, result, host: new URL(baseURL).host, requests: endpoint.requests.length };
}

it('asks for room by server and model, with the key only as a hash, and says what it has used', async () => {
  const { asked, corrections, host } = await pacedTurn(answered);
  const [{ name, account, tokens = 0 } = { name: '' }] = asked;
  expect(name).toBe(`${host}/m`);
  expect(account).toMatch(/^[0-9a-f]{8}$/);
  expect(JSON.stringify(asked)).not.toContain(apiKey);
  expect(corrections).toEqual([{ tokens: 1_007 - tokens }]);
});

it('waits with everybody after a refusal that says how long, and asks again in the same attempt', async () => {
  const busy = refusal(429, 'rate_limit', { 'retry-after': '7' });
  const { asked, corrections, result, requests } = await pacedTurn(busy, busy, answered);
  expect(result).toMatchObject({ kind: 'settled' });
  expect([requests, asked.length]).toEqual([3, 3]);
  expect(corrections.filter(({ pausedMs }) => pausedMs === 7_000)).toHaveLength(2);
});

it('waits longer and longer after refusals that do not say how long', async () => {
  const busy = refusal(429, 'rate_limit');
  const { corrections } = await pacedTurn(busy, busy, busy, answered);
  expect(corrections.flatMap(({ pausedMs = [] }) => pausedMs)).toEqual([1_000, 2_000, 4_000]);
});

it('lets everybody wait if an answer says that nothing is left', async () => {
  const last: Script = (response, request) => {
    response.setHeader('x-ratelimit-remaining-tokens', '0').setHeader('x-ratelimit-reset-tokens', '1m30s');
    stream(['Hello'])(response, request);
  };
  const { corrections } = await pacedTurn(last);
  expect(corrections).toContainEqual({ pausedMs: 60_000 });
});

it('does not wait for a quota that is used up, or for a server that fails', async () => {
  for (const script of [refusal(429, 'insufficient_quota'), refusal(500, 'server_error')]) {
    const { requests, corrections } = await pacedTurn(script);
    expect([requests, corrections]).toEqual([1, []]);
  }
});
