import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentCard as SdkCard } from '@a2a-js/sdk';
import { verifyAgentCardSignature } from '@a2a-js/sdk';
import type { AgentCard, Task } from '@switchyard/protocol';
import { type CardTrust, CardVerifier } from '@switchyard/signatures';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { userMessage } from '../support/messages.ts';
import { get, post } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';

// Cards from real processes: a worker announces an agent, and two gateways sign its card with keys in files.

const key = 'key-of-ada-0123456789';
const ada = { 'x-api-key': key };
const loud = 'https://example.com/extensions/loud/v1';
type Keys = NonNullable<CardTrust['keys']>;

const cardPath = '/.well-known/agent-card.json';

let folder: string;
let stack: Stack;
let urls: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'card-keys-'));
  const old = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const next = generateKeyPairSync('ed25519').privateKey;
  await writeFile(join(folder, 'old.pem'), old.export({ format: 'pem', type: 'pkcs8' }));
  await writeFile(join(folder, 'next.json'), JSON.stringify({ ...next.export({ format: 'jwk' }), kid: 'next' }));
  const env = {
    AUTH: 'api-key',
    API_KEYS: `${key}:ada:acme`,
    PUBLIC_URL: 'https://agents.example.com',
    GRPC_PUBLIC_ADDRESS: 'agents.example.com:443',
    CARD_SIGNING_KEYS: `${folder}/old.pem,${folder}/next.json`,
  };
  stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['insider'], gateways: 2, env });
  urls = stack.urls;
  // The SDK's verifier logs every signature that it skips.
  vi.spyOn(console, 'debug').mockReturnValue();
});

afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true });
});

async function cardAt(url = ''): Promise<AgentCard> {
  return (await get<AgentCard>(url + cardPath, { 'a2a-version': '1.0' })).body;
}

async function keysAt(url = ''): Promise<Keys> {
  return (await get<Keys>(`${url}/.well-known/jwks.json`)).body;
}

describe('the card of an agent that a worker announced', () => {
  it('is signed by every key, and verified with the keys that any gateway publishes', async () => {
    const [card, { keys }] = [await cardAt(urls[0]), await keysAt(urls[1])];
    expect(keys).toHaveLength(2);
    for (const each of keys) {
      const { kid } = await new CardVerifier({ keys: { keys: [each] } }).verify(card);
      expect(kid).toBe(each.kid);
    }
  });

  it("is accepted by the published SDK's verifier", async () => {
    const { keys } = await keysAt(urls[0]);
    const verify = verifyAgentCardSignature(async (kid) => {
      const found = keys.find((each) => each.kid === kid);
      if (!found) throw new Error(`no key ${kid}`);
      return found;
    });
    await verify((await cardAt(urls[1])) as unknown as SdkCard);
  });

  it('has the same ETag at both gateways', async () => {
    const etags = await Promise.all(urls.map(async (url) => (await get(url + cardPath)).headers.get('etag')));
    expect(new Set(etags).size).toBe(1);
  });

  it('has an extended card for authenticated clients, also signed', async () => {
    const { body } = await get<AgentCard>(`${urls[0]}/extendedAgentCard`, ada);
    expect(body.skills.map(({ id }) => id)).toEqual(['tell', 'secret']);
    const { card } = await new CardVerifier({ keys: await keysAt(urls[1]) }).verify(body);
    expect(card.skills).toHaveLength(2);
  });
});

describe('the output modes that a client accepts', () => {
  const send = (path: string, acceptedOutputModes: string[]) =>
    post<{ task: Task }>(
      `${urls[0]}${path}/message:send`,
      { message: userMessage('hello'), configuration: { acceptedOutputModes } },
      { ...ada, 'a2a-extensions': `${loud},https://example.com/extensions/unknown/v1` },
    );

  it('reach the agent, whose answer has one of them', async () => {
    const json = await send('', ['application/*']);
    expect(json.headers.get('a2a-extensions')).toBe(loud);
    const known = { acceptedOutputModes: ['application/*'], extensions: [loud] };
    expect(json.body.task.status.message?.parts).toEqual([{ data: known }]);
    const text = await send('', ['text/plain']);
    expect(text.body.task.status.message?.parts[0]?.text).toContain('["text/plain"]');
  });

  it("can be sent to a path with the agent's id or the caller's own tenant", async () => {
    for (const tenant of ['insider', 'acme']) {
      const { body } = await send(`/${tenant}`, []);
      expect((await get(`${urls[1]}/tasks/${body.task.id}`, ada)).status).toBe(200);
    }
    expect((await send('/initech', [])).status).toBe(404);
  });
});
