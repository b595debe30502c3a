import { canonicalizeAgentCard, generateAgentCardSignature, type AgentCard as SdkCard } from '@a2a-js/sdk';
import type { AgentCard } from '@switchyard/protocol';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KeyServer, openKeyServer } from '../../../../tests/support/key-server.ts';
import { CardVerificationError, CardVerifier, signedForms } from '../../src/index.ts';

const card: AgentCard = {
  name: 'Grüße',
  description: 'Repeats its input',
  version: '1.0',
  supportedInterfaces: [{ url: 'https://a.example', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: { streaming: false, extensions: [{ uri: 'urn:x', required: true, params: { b: [1, 'é'], a: 0.5 } }] },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'echo', name: 'Echo', description: 'Echo', tags: ['test'] }],
  securitySchemes: { key: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } } },
  securityRequirements: [{ schemes: { key: { list: ['read'] } } }],
};
/** A card with empty required fields, which the form of the SDK omits. */
const sparse: AgentCard = { ...card, skills: [], securityRequirements: [{ schemes: { key: { list: [] } } }] };

let jwk: JWK;
let privateKey: CryptoKey;
let server: KeyServer;

beforeAll(async () => {
  const pair = await generateKeyPair('ES256', { extractable: true });
  privateKey = pair.privateKey;
  jwk = { ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256' };
  server = await openKeyServer([jwk]);
});

afterAll(() => server.close());

/** A card that the published SDK has signed. */
async function signed(given: AgentCard, header: { kid?: string; jku?: string } = {}): Promise<AgentCard> {
  const sign = generateAgentCardSignature(privateKey, { alg: 'ES256', typ: 'JOSE', kid: 'one', ...header });
  const { signatures } = await sign(given as unknown as SdkCard);
  return { ...given, signatures: signatures.map(({ protected: p, signature }) => ({ protected: p, signature })) };
}

describe('the signed forms of a card', () => {
  it('are canonical JSON (RFC 8785)', () => {
    const { exact } = signedForms({ ...card, skills: [], securitySchemes: {}, securityRequirements: [] });
    expect(exact).toBe(
      '{"capabilities":{"extensions":[{"params":{"a":0.5,"b":[1,"é"]},"required":true,"uri":"urn:x"}],' +
        '"streaming":false},' +
        '"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"description":"Repeats its input",' +
        '"name":"Grüße","skills":[],"supportedInterfaces":[{"protocolBinding":"JSONRPC","protocolVersion":"1.0",' +
        '"url":"https://a.example"}],"version":"1.0"}',
    );
  });

  it('omit an empty field without presence in protobuf, and keep one with presence', () => {
    const capabilities = { streaming: false, extensions: [] };
    const { exact } = signedForms({ ...sparse, capabilities, iconUrl: '', provider: { url: 'u', organization: 'o' } });
    expect(JSON.parse(exact)).toMatchObject({ capabilities: { streaming: false }, iconUrl: '', skills: [] });
    expect(exact).not.toContain('extensions');
    expect(exact).toContain('"securityRequirements":[{"schemes":{"key":{}}}]');
  });

  it("keep an empty message, and an extension's params", () => {
    const { exact } = signedForms({
      ...card,
      capabilities: {
        extensions: [
          { uri: 'urn:x', description: '', required: false, params: { empty: '' } },
          { uri: 'urn:y', params: {} },
        ],
      },
      securitySchemes: { params: { mtlsSecurityScheme: {} } },
    });
    expect(exact).toContain('"extensions":[{"params":{"empty":""},"uri":"urn:x"},{"params":{},"uri":"urn:y"}]');
    expect(exact).toContain('"securitySchemes":{"params":{"mtlsSecurityScheme":{}}}');
  });

  it.each([
    ['an ordinary card', card],
    ['a card with empty required fields', sparse],
    ['a card with an empty capability object', { ...card, capabilities: {} }],
    [
      'a card with false and empty optional fields',
      { ...card, iconUrl: '', capabilities: { streaming: false, extendedAgentCard: false } },
    ],
  ])('include that of the published SDK for %s', (_what, given) => {
    const expected = canonicalizeAgentCard(structuredClone(given) as unknown as SdkCard);
    expect(signedForms(given).lean).toBe(expected);
  });
});

describe('a card verifier', () => {
  const trusting = () => new CardVerifier({ keys: { keys: [jwk] } });

  it('accepts a card that the published SDK has signed', async () => {
    expect(await trusting().verify(await signed(card))).toMatchObject({ kid: 'one', form: 'exact' });
    expect(await trusting().verify(await signed(sparse))).toMatchObject({ kid: 'one', form: 'lean' });
  });

  it('returns the card without fields that the signature does not cover', async () => {
    const { card: verified } = await trusting().verify({ ...(await signed(card)), payTo: 'mallory' });
    expect(verified).not.toHaveProperty('payTo');
    expect(verified.name).toBe(card.name);
  });

  it.each([
    [
      'a URL',
      { supportedInterfaces: [{ url: 'https://evil.example', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }] },
    ],
    ['a capability', { capabilities: { streaming: true } }],
    ['the security', { securityRequirements: [] }],
    ['a name', { name: 'Grüsse' }],
  ])('refuses a card of which %s was changed', async (_what, change) => {
    await expect(trusting().verify({ ...(await signed(card)), ...change })).rejects.toThrow(CardVerificationError);
  });

  it('accepts a card with one valid signature among invalid ones', async () => {
    const good = await signed(card);
    const signatures = [{ protected: 'e30', signature: 'AA' }, ...(good.signatures ?? [])];
    expect((await trusting().verify({ ...card, signatures })).kid).toBe('one');
  });

  it('refuses a card without a signature', async () => {
    await expect(trusting().verify(card)).rejects.toThrow(/it has no signature/);
  });

  it('refuses a signature with the algorithm "none" or with a shared secret', async () => {
    const header = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const alg of ['none', 'HS256']) {
      const signatures = [{ protected: header({ alg, kid: 'one', typ: 'JOSE' }), signature: 'AA' }];
      await expect(trusting().verify({ ...card, signatures })).rejects.toThrow(CardVerificationError);
    }
  });

  it('fetches the keys from a trusted URL once', async () => {
    const verifier = new CardVerifier({ jwksUrls: [server.url] });
    expect((await verifier.verify(await signed(card, { jku: server.url }))).kid).toBe('one');
    expect((await verifier.verify(await signed(card))).kid).toBe('one');
    expect(server.requests()).toBe(1);
  });

  it('does not fetch keys from a URL that only the card names', async () => {
    const elsewhere = await openKeyServer([jwk]);
    try {
      const verifier = new CardVerifier({ jwksUrls: [server.url] });
      await expect(verifier.verify(await signed(card, { jku: elsewhere.url }))).rejects.toThrow(/not trusted/);
      expect(elsewhere.requests()).toBe(0);
    } finally {
      await elsewhere.close();
    }
  });

  it('cannot be created without trusted keys, nor with a key URL without TLS', () => {
    expect(() => new CardVerifier({})).toThrow(/No keys are trusted/);
    expect(() => new CardVerifier({ jwksUrls: ['http://keys.example/jwks.json'] })).toThrow(/must be an https URL/);
  });

  it('refuses an invalid card with an error that names the field', async () => {
    await expect(trusting().verify({ name: 'x' })).rejects.toThrow(/card\.description/);
  });
});
