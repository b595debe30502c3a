import { generateAgentCardSignature, AgentCard as SdkCard, verifyAgentCardSignature } from '@a2a-js/sdk';
import { DefaultAgentCardResolver } from '@a2a-js/sdk/client';
import type { AgentCard } from '@switchyard/protocol';
import type { SigningKey } from '@switchyard/settings';
import { readSigningKeys } from '@switchyard/settings';
import { CardVerifier } from '@switchyard/signatures';
import { decodeProtectedHeader, type JSONWebKeySet } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { jwkText, privateKeys } from '../../../tests/support/keys.ts';
import { get } from './support/client.ts';
import { openStage, type Stage } from './support/stage.ts';

const cardPath = '/.well-known/agent-card.json';
const version1 = { 'a2a-version': '1.0' };
const publicUrl = 'https://agents.example.com/a2a/';
const keyOf = (name: keyof typeof privateKeys): SigningKey => {
  const [key] = readSigningKeys(jwkText(privateKeys[name](), { kid: name }));
  if (!key) throw new Error('no key');
  return key;
};
const keys = [keyOf('ES256'), keyOf('EdDSA'), keyOf('RS256')];

let stage: Stage;

beforeAll(async () => {
  // The SDK's verifier logs every signature that it skips.
  vi.spyOn(console, 'debug').mockReturnValue();
  stage = await openStage({ gateway: { publicUrl, cardSigningKeys: keys } });
});

afterAll(() => stage[Symbol.asyncDispose]());

async function cardAt(url: string): Promise<AgentCard> {
  return (await get<AgentCard>(url + cardPath, version1)).body;
}

async function publishedBy(url: string): Promise<JSONWebKeySet> {
  return (await get<JSONWebKeySet>(`${url}/.well-known/jwks.json`)).body;
}

/** Verifies with the published SDK, and the keys that the gateway publishes. */
async function verifiesInSdk(card: SdkCard, { keys: published }: JSONWebKeySet): Promise<void> {
  await verifyAgentCardSignature(async (kid) => {
    const key = published.find((each) => each.kid === kid);
    if (!key) throw new Error(`no key ${kid}`);
    return key;
  })(card);
}

describe('A signed card', () => {
  it('has a signature by every key, with the URL of the keys', async () => {
    const { signatures = [] } = await cardAt(stage.url);
    expect(signatures.map((signature) => decodeProtectedHeader(signature))).toEqual(
      keys.map(({ kid, algorithm }) => ({
        alg: algorithm,
        typ: 'JOSE',
        kid,
        jku: 'https://agents.example.com/a2a/.well-known/jwks.json',
      })),
    );
  });

  it('is accepted by our verifier, whichever of the keys it knows', async () => {
    const card = await cardAt(`${stage.url}/agents/guest`);
    const { keys: published } = await publishedBy(stage.url);
    for (const key of published) {
      const verified = await new CardVerifier({ keys: { keys: [key] } }).verify(card);
      expect(verified).toMatchObject({ kid: key.kid, form: 'exact' });
    }
  });

  it("is accepted by the published SDK's verifier, as JSON and as its client reads it", async () => {
    const published = await publishedBy(stage.url);
    for (const agent of ['echo', 'guest', 'painter', 'mute']) {
      const url = `${stage.url}/agents/${agent}${cardPath}`;
      await verifiesInSdk((await get<SdkCard>(url, version1)).body, published);
      const read = await new DefaultAgentCardResolver().resolve(url, '');
      await verifiesInSdk(SdkCard.fromJSON(read), published);
    }
  });

  it('is accepted by both verifiers also with fields of version 0.3', async () => {
    const published = await publishedBy(stage.url);
    const { body } = await get<SdkCard>(stage.url + cardPath);
    expect(body).toHaveProperty('protocolVersion', '0.3.0');
    await verifiesInSdk(body, published);
    const { card } = await new CardVerifier({ keys: published }).verify(body);
    expect(card).not.toHaveProperty('protocolVersion');
  });

  it('is refused when a word was changed', async () => {
    const card = await cardAt(stage.url);
    const published = await publishedBy(stage.url);
    const changed = { ...card, description: 'Says what it is told' };
    await expect(new CardVerifier({ keys: published }).verify(changed)).rejects.toThrow(/no valid signature/);
    await expect(verifiesInSdk(changed as unknown as SdkCard, published)).rejects.toThrow(/No valid signatures/);
  });

  it('has the same ETag from every gateway', async () => {
    const other = await stage.another({ publicUrl, cardSigningKeys: keys });
    const [one, two] = [await get(stage.url + cardPath, version1), await get(other + cardPath, version1)];
    const etag = one.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"/);
    expect(two.headers.get('etag')).toBe(etag);
    expect((await get(other + cardPath, { ...version1, 'if-none-match': etag })).status).toBe(304);
  });

  it('has another ETag with other keys', async () => {
    const other = await stage.another({ publicUrl, cardSigningKeys: keys.slice(1) });
    const [one, two] = [await get(stage.url + cardPath, version1), await get(other + cardPath, version1)];
    expect(two.headers.get('etag')).not.toBe(one.headers.get('etag'));
  });

  it('is signed once for all its readers', async () => {
    const [one, two] = [await cardAt(stage.url), await cardAt(stage.url)];
    expect(one.signatures).toEqual(two.signatures);
  });

  it('is never signed for a host named by its reader', async () => {
    const gateway = stage.another({ cardSigningKeys: keys });
    await expect(gateway).rejects.toThrow(/PUBLIC_URL/);
  });
});

describe('A card with required fields that are empty', () => {
  it('is signed in both forms, and accepted by both verifiers', async () => {
    const auth = { keys: [] } as const;
    const url = await stage.another({ publicUrl, cardSigningKeys: keys.slice(0, 1), auth });
    const published = await publishedBy(url);
    const card = await cardAt(url);
    expect(card.signatures).toHaveLength(2);
    expect(card.securityRequirements?.[0]).toEqual({ schemes: { apiKey: { list: [] } } });
    expect((await new CardVerifier({ keys: published }).verify(card)).form).toBe('exact');
    await verifiesInSdk(card as unknown as SdkCard, published);
  });

  // The SDK reserializes its own objects, and drops the schemes. If this fails, the SDK was fixed.
  it("is refused by the published SDK's verifier once its client has read security schemes", async () => {
    const auth = { keys: [] } as const;
    const url = await stage.another({ publicUrl, cardSigningKeys: keys.slice(0, 1), auth });
    const read = SdkCard.fromJSON(await cardAt(url));
    await expect(verifiesInSdk(read, await publishedBy(url))).rejects.toThrow(/No valid signatures/);
  });
});

describe("The published SDK's own signature", () => {
  it("of a gateway's card is accepted by CardVerifier", async () => {
    const { signatures: _ours, ...card } = await cardAt(stage.url);
    const [key] = keys;
    if (!key) throw new Error('no key');
    const sign = generateAgentCardSignature(key.privateKey, { alg: key.algorithm, kid: key.kid, typ: 'JOSE' });
    const { signatures } = await sign(card as unknown as SdkCard);
    const verified = await new CardVerifier({ keys: await publishedBy(stage.url) }).verify({ ...card, signatures });
    expect(verified.kid).toBe('ES256');
  });
});

describe('The keys of a gateway', () => {
  it('are published for caches, without the private keys', async () => {
    const { status, headers, body } = await get<JSONWebKeySet>(`${stage.url}/.well-known/jwks.json`);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/jwk-set+json']);
    expect(headers.get('cache-control')).toBe('public, max-age=60');
    expect(body.keys.map(({ kid, alg, use }) => [kid, alg, use])).toEqual([
      ['ES256', 'ES256', 'sig'],
      ['EdDSA', 'EdDSA', 'sig'],
      ['RS256', 'RS256', 'sig'],
    ]);
    expect(body.keys.some((key) => 'd' in key)).toBe(false);
  });

  it('are an empty set if nothing is signed', async () => {
    const url = await stage.another();
    expect((await publishedBy(url)).keys).toEqual([]);
    expect(await cardAt(url)).not.toHaveProperty('signatures');
  });
});
