import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JSONWebKeySet, type JWTPayload, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { createNotificationVerifier, type ReceivedNotification } from '../../src/index.ts';

const { privateKey, publicKey } = await generateKeyPair('ES256');
const keys: JSONWebKeySet = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }] };
const stranger = (await generateKeyPair('ES256')).privateKey;
const audience = 'https://client.example.com';
const body = '{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}';
const now = (): number => Math.floor(Date.now() / 1_000);

interface Forgery {
  readonly body?: string;
  readonly claims?: { [claim in keyof JWTPayload]: JWTPayload[claim] | undefined };
  readonly key?: typeof privateKey;
}

async function signed({ body: signedBody = body, claims = {}, key = privateKey }: Forgery = {}): Promise<string> {
  const request_body_sha256 = createHash('sha256').update(signedBody).digest('hex');
  const defaults = { iat: now(), exp: now() + 300, aud: audience, jti: randomUUID(), request_body_sha256 };
  return new SignJWT(JSON.parse(JSON.stringify({ ...defaults, ...claims })))
    .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
    .sign(key);
}

const withHeaders = (headers: Record<string, string>): ReceivedNotification => ({
  headers: { 'x-a2a-delivery-id': 't:c:1', ...headers },
  body,
});
const withSignature = async (forgery?: Forgery): Promise<ReceivedNotification> =>
  withHeaders({ 'x-a2a-notification-signature': await signed(forgery) });

describe('a notification', () => {
  test('with a valid signature is genuine; the verdict has its event', async () => {
    const verify = createNotificationVerifier({ keys, audience });
    const verdict = await verify(await withSignature());
    expect(verdict).toMatchObject({ kind: 'genuine', deliveryId: 't:c:1', event: JSON.parse(body) });
    const bytes = { ...(await withSignature()), body: Buffer.from(body) };
    expect(await verify(bytes)).toMatchObject({ kind: 'genuine' });
  });

  test.each<[string, Forgery, RegExp]>([
    ['for another body', { body: `${body} ` }, /another body/],
    ['for another receiver', { claims: { aud: 'https://other.example.com' } }, /"aud"/],
    ['that has expired', { claims: { exp: now() - 60 } }, /"exp"/],
    ['that never expires', { claims: { exp: undefined } }, /"exp"/],
    ['without an id', { claims: { jti: undefined } }, /"jti"/],
    ['by another key', { key: stranger }, /not valid/],
  ])('with a signature %s is refused', async (_, forgery, reason) => {
    const verify = createNotificationVerifier({ keys, audience });
    expect(await verify(await withSignature(forgery))).toEqual({
      kind: 'refused',
      status: 401,
      reason: expect.stringMatching(reason),
    });
  });

  test('without a signature is refused if the verifier has keys, also with a valid token', async () => {
    const verify = createNotificationVerifier({ keys, token: 'secret' });
    const verdict = await verify(withHeaders({ 'x-a2a-notification-token': 'secret' }));
    expect(verdict).toMatchObject({ kind: 'refused', status: 401, reason: 'there is no signature' });
  });

  test('that is replayed is refused', async () => {
    const seen = new Set<string>();
    const remember = (id: string, until: number): boolean => until > now() && !seen.has(id) && Boolean(seen.add(id));
    const verify = createNotificationVerifier({ keys, remember });
    const notification = await withSignature();
    expect(await verify(notification)).toMatchObject({ kind: 'genuine' });
    expect(await verify(notification)).toMatchObject({ kind: 'refused', reason: 'the signature was used before' });
  });

  test('without keys is genuine if both its token and its authorization match', async () => {
    const verify = createNotificationVerifier({ token: 'secret', authorization: 'Bearer abc' });
    const headers = { 'x-a2a-notification-token': 'secret', authorization: 'Bearer abc' };
    expect(await verify(withHeaders(headers))).toMatchObject({ kind: 'genuine' });
    for (const wrong of [{ authorization: 'Bearer abd' }, { 'x-a2a-notification-token': 'secre' }])
      expect(await verify(withHeaders({ ...headers, ...wrong }))).toMatchObject({ kind: 'refused', status: 401 });
    expect(await verify(withHeaders({ authorization: 'Bearer abc' }))).toMatchObject({ kind: 'refused' });
  });

  test.each(['', 'nothing', '{"statusUpdate":{}}', '{}'])('with the body "%s" is refused', async (text) => {
    const verify = createNotificationVerifier({ token: 'secret' });
    const verdict = await verify({ ...withHeaders({ 'x-a2a-notification-token': 'secret' }), body: text });
    expect(verdict).toMatchObject({ kind: 'refused', status: 400 });
  });

  test('cannot be verified without keys, token or authorization', () => {
    expect(() => createNotificationVerifier({})).toThrow(/keys, token and authorization/);
  });
});

describe('the keys of the sender', () => {
  test('are fetched from its URL; while that fails, the verifier throws', async () => {
    let isDown = true;
    const server = createServer((_, res) => {
      res.statusCode = isDown ? 503 : 200;
      res.setHeader('content-type', 'application/json').end(JSON.stringify(keys));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const verify = createNotificationVerifier({ keys: new URL(`http://127.0.0.1:${port}/.well-known/jwks.json`) });
    await expect(verify(await withSignature())).rejects.toThrow();
    isDown = false;
    expect(await verify(await withSignature())).toMatchObject({ kind: 'genuine' });
    server.close();
  });
});
