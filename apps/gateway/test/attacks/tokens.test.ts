import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportSPKI, generateKeyPair, importJWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Issuer, openIssuer } from '../../../../tests/support/issuer.ts';
import { type ErrorBody, get } from '../support/client.ts';
import { jwtSettings } from '../support/jwt-settings.ts';
import { everyBinding, type Probe, probeAll, probesOf } from '../support/probe-bindings.ts';
import { openStage, type Stage } from '../support/stage.ts';

const now = (): number => Math.floor(Date.now() / 1_000);

let issuer: Issuer;
let stage: Stage;
let probes: Readonly<Record<string, Probe>>;

beforeAll(async () => {
  issuer = await openIssuer();
  await issuer.newKey('rsa', 'RS256');
  const auth = { jwt: jwtSettings(issuer.url) };
  stage = await openStage({ gateway: { auth, grpc: { port: 0, publicAddress: 'auto' } } });
  probes = await probesOf(stage.url);
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});

const bearing = (token: string) => ({ authorization: `Bearer ${token}` });

/** Replaces the header of a token. */
function withHeader(token: string, header: object): string {
  const [, payload = '', signature = ''] = token.split('.');
  return [Buffer.from(JSON.stringify(header)).toString('base64url'), payload, signature].join('.');
}

describe('a token of the issuer', () => {
  it('authenticates its owner, with either algorithm', async () => {
    expect(await probeAll(probes, bearing(await issuer.token()))).toEqual(everyBinding(200));
    expect(await probeAll(probes, bearing(await issuer.token({}, { kid: 'rsa' })))).toEqual(everyBinding(200));
  });

  it.each<[what: string, claims: Record<string, unknown>]>([
    ['has expired', { exp: now() - 60 }],
    ['never expires', { exp: undefined }],
    ['is not valid yet', { nbf: now() + 120 }],
    ['is for another audience', { aud: 'somebody-else' }],
    ['is for no audience', { aud: undefined }],
    ['is of another issuer', { iss: 'https://issuer.example.com' }],
    ['has no subject', { sub: undefined }],
    ['has an empty subject', { sub: '' }],
    ['has no tenant', { tenant: undefined }],
    ['has an object as its tenant', { tenant: { $ne: null } }],
    ['has a tenant of 257 characters', { tenant: 'x'.repeat(257) }],
  ])('is refused if it %s', async (_, claims) => {
    expect(await probeAll(probes, bearing(await issuer.token(claims)))).toEqual(everyBinding(401));
  });

  it.each<[claims: Record<string, unknown>, reason: string]>([
    [{ aud: 'somebody-else' }, 'has a wrong claim aud: this gateway does not accept "somebody-else"'],
    [{ aud: undefined }, 'has no claim aud'],
    [{ iss: 'https://a.example/' }, 'has a wrong claim iss: this gateway does not accept "https://a.example/"'],
    [{ nbf: now() + 120 }, 'is not valid yet: its claim nbf is in the future'],
    [{ tenant: undefined }, 'has no claim tenant'],
    [{ tenant: 5 }, 'has a wrong claim tenant: it must be a text of 1 to 256 characters'],
  ])('says what is wrong: %j', async (claims, reason) => {
    const token = await issuer.token(claims);
    const { status, body } = await get<ErrorBody>(`${stage.url}/tasks`, bearing(token));
    expect([status, body.error.message]).toEqual([401, `The token ${reason}`]);
  });

  it('names the missing kid if the issuer publishes several keys', async () => {
    await issuer.newKey('second');
    await using other = await openStage({ gateway: { auth: { jwt: jwtSettings(issuer.url) } } });
    const { privateKey } = await generateKeyPair('ES256');
    const claims = { iss: issuer.url, aud: 'switchyard', sub: 'alice', tenant: 'acme', exp: now() + 60 };
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
    const { body } = await get<ErrorBody>(`${other.url}/tasks`, bearing(token));
    expect(body.error.message).toBe('The token names no key (kid), and the issuer publishes several');
  });

  it('is refused if its signature, claims or header were changed', async () => {
    const token = await issuer.token();
    const [header = '', payload = '', signature = ''] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'root' })).toString('base64url');
    const flipped = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
    const tokens = [
      `${header}.${payload}.${flipped}`,
      `${header}.${forged}.${signature}`,
      `${header}.${payload}.`,
      withHeader(token, { alg: 'none' }),
      `${withHeader(token, { alg: 'none' }).split('.').slice(0, 2).join('.')}.`,
      withHeader(token, { alg: 'NONE', kid: 'first' }),
      withHeader(token, { alg: 'ES256', kid: 'first', crit: ['exp'] }),
      withHeader(token, { alg: 'RS256', kid: 'first' }),
      'a.b.c',
      '..',
    ];
    for (const each of tokens) expect([each, await probeAll(probes, bearing(each))]).toEqual([each, everyBinding(401)]);
  });

  it('is refused if it is signed with the public key as a shared secret (HS256)', async () => {
    const jwk = issuer.published.find(({ kid }) => kid === 'rsa');
    const publicKey = await importJWK({ ...jwk, ext: true }, 'RS256', { extractable: true });
    if (publicKey instanceof Uint8Array) throw new Error('no public key');
    const secrets = [await exportSPKI(publicKey), JSON.stringify(jwk)];
    const claims = { iss: issuer.url, aud: 'switchyard', sub: 'alice', tenant: 'acme', exp: now() + 60 };
    for (const secret of secrets) {
      const unsigned = new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'rsa' });
      const token = await unsigned.sign(new TextEncoder().encode(secret));
      expect(await probeAll(probes, bearing(token))).toEqual(everyBinding(401));
    }
  });

  it('cannot bring its own key, and no URL in its header is fetched', async () => {
    let requests = 0;
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const own = { ...(await crypto.subtle.exportKey('jwk', publicKey)), kid: 'own', alg: 'ES256' };
    const server = createServer((_req, res) => {
      requests++;
      res.end(JSON.stringify({ keys: [own] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
    const claims = { iss: issuer.url, aud: 'switchyard', sub: 'alice', tenant: 'acme', exp: now() + 60 };
    for (const header of [{ jku: url }, { x5u: url }, { jwk: own }, { jku: url, kid: 'first' }]) {
      const token = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', kid: 'own', ...header })
        .sign(privateKey);
      expect(await probeAll(probes, bearing(token))).toEqual(everyBinding(401));
    }
    server.close();
    expect(requests).toBe(0);
  });

  it('is refused if it is too large, before its signature is checked', async () => {
    const token = await issuer.token({ padding: 'x'.repeat(14_000) });
    expect(token.length).toBeGreaterThan(16 * 1024);
    const { REST: rest } = probes;
    // Node itself refuses larger headers.
    expect((await rest?.(bearing(token)))?.status).toBeOneOf([401, 431]);
    expect((await rest?.(bearing(`${'x'.repeat(1_000_000)}.y.z`)))?.status).toBe(431);
  });

  it('gets the challenge invalid_token when it is refused', async () => {
    for (const probe of Object.values(probes)) {
      expect((await probe({})).challenge).toBe('Bearer realm="switchyard"');
      const { challenge } = await probe(bearing(await issuer.token({ exp: now() - 60 })));
      expect(challenge).toBe('Bearer realm="switchyard", error="invalid_token"');
    }
  });

  it('with an unknown key id causes at most one request to the issuer, however many such tokens come', async () => {
    await probeAll(probes, bearing(await issuer.token()));
    const before = issuer.requests();
    const token = await issuer.token();
    for (let i = 0; i < 20; i++)
      await probeAll(probes, bearing(withHeader(token, { alg: 'ES256', kid: `made-up-${i}` })));
    expect(issuer.requests() - before).toBeLessThanOrEqual(1);
  });
});
