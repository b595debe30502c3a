import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readSigningKeys } from '@switchyard/settings';
import { createNotificationVerifier } from '@switchyard/signatures';
import { calculateJwkThumbprint, exportJWK, type JSONWebKeySet } from 'jose';
import { describe, expect, test } from 'vitest';
import { until } from '../../../../tests/support/until.ts';
import { Receiver } from './support/receiver.ts';
import { Stage } from './support/stage.ts';

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' }).toString();
const published = async (key: KeyObject, kid?: string): Promise<JSONWebKeySet> => {
  const jwk = await exportJWK(key);
  return { keys: [{ ...jwk, kid: kid ?? (await calculateJwkThumbprint(jwk)) }] };
};

describe('a signed delivery', () => {
  test('is verified as genuine by its receiver, and refused by a receiver with another audience', async () => {
    await using stage = await Stage.open({ push: { signingKey: readSigningKeys(pem(pair.privateKey))[0] } });
    await using receiver = await new Receiver().open();
    receiver.behave = (_, nth) => (nth === 1 ? 500 : 200);
    const taskId = await stage.task({ id: 'a', url: receiver.url, token: 'the-token' });
    await until(() => receiver.taken.length === 1, { what: 'a delivery' });
    const options = { keys: await published(pair.publicKey), token: 'the-token' };
    const [first, second] = receiver.requests.map(({ headers, text }) => ({ headers, body: text }));
    if (!first || !second) throw new Error('not delivered');
    const verify = createNotificationVerifier({ ...options, audience: new URL(receiver.url).origin });
    expect(await verify(second)).toMatchObject({
      kind: 'genuine',
      deliveryId: `${taskId}:a:1`,
      event: { task: { id: taskId, status: { state: 'TASK_STATE_SUBMITTED' } } },
    });
    const elsewhere = createNotificationVerifier({ ...options, audience: 'https://other.example.com' });
    expect(await elsewhere(second)).toMatchObject({ kind: 'refused' });
    expect(first.headers['x-a2a-delivery-id']).toBe(second.headers['x-a2a-delivery-id']);
    expect(first.headers['x-a2a-notification-signature']).not.toBe(second.headers['x-a2a-notification-signature']);
  });

  test.each([
    ['RSA', generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ['Ed25519', generateKeyPairSync('ed25519')],
  ])('with a key of type %s is verified as genuine', async (_, { privateKey, publicKey }) => {
    await using stage = await Stage.open({ push: { signingKey: readSigningKeys(pem(privateKey))[0] } });
    await using receiver = await new Receiver().open();
    await stage.task({ id: 'a', url: receiver.url });
    await until(() => receiver.taken.length === 1, { what: 'a delivery' });
    const [{ headers, text } = { headers: {}, text: '' }] = receiver.taken;
    const verify = createNotificationVerifier({ keys: await published(publicKey) });
    expect(await verify({ headers, body: text })).toMatchObject({ kind: 'genuine' });
  });
});
