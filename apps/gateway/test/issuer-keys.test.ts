import { decodeProtectedHeader } from 'jose';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Issuer, openIssuer } from '../../../tests/support/issuer.ts';
import { IssuerKeys } from '../src/auth/issuer.ts';
import type { GatewayEvent } from '../src/telemetry/events.ts';

const minutes = (count: number): void => void vi.advanceTimersByTime(count * 60_000);

let issuer: Issuer;
let keys: IssuerKeys;
let failures = 0;
let reason: unknown;
let lastKind: GatewayEvent['kind'] | undefined;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  issuer = await openIssuer();
  failures = 0;
  keys = new IssuerKeys({ issuer: issuer.url }, emit);
});

function emit(event: GatewayEvent): void {
  failures++;
  lastKind = event.kind;
  if (event.kind === 'issuer-unreadable' && event.err instanceof Error) reason = event.err.message;
}

afterEach(async () => {
  keys.stop();
  await issuer[Symbol.asyncDispose]();
  vi.useRealTimers();
});

/** Whether the key of a token is known. */
async function finds(kid: string): Promise<boolean | string> {
  const token = await issuer.token({}, { kid });
  const [, payload = '', signature = ''] = token.split('.');
  const found = keys.find(decodeProtectedHeader(token) as never, { payload, signature });
  return found.then(
    () => true,
    (error: { readonly code: string }) => error.code,
  );
}

it('a key that the issuer adds is found within half a minute', async () => {
  expect(await finds('first')).toBe(true);
  await issuer.newKey('second');
  expect(await finds('second')).toBe('ERR_JWKS_NO_MATCHING_KEY');
  minutes(0.6);
  expect(await finds('second')).toBe(true);
  expect(issuer.requests()).toBe(2);
});

it('a key that the issuer removes is accepted for at most ten more minutes', async () => {
  await issuer.newKey('second');
  expect(await finds('first')).toBe(true);
  issuer.published.shift();
  minutes(9);
  expect(await finds('first')).toBe(true);
  minutes(2);
  expect(await finds('first')).toBe('ERR_JWKS_NO_MATCHING_KEY');
  expect(await finds('second')).toBe(true);
});

it('while the issuer is unreachable its keys are accepted for an hour, then tokens cannot be verified', async () => {
  expect(await finds('first')).toBe(true);
  issuer.breakDown(true);
  minutes(59);
  expect(await finds('first')).toBe(true);
  expect(failures).toBe(1);
  minutes(2);
  expect(await finds('first')).toBe('Unavailable');
  issuer.breakDown(false);
  expect(await finds('first')).toBe('Unavailable');
  minutes(1);
  expect(await finds('first')).toBe(true);
});

it('keys of an issuer with another name in its configuration are not used', async () => {
  const wrong = new IssuerKeys({ issuer: `${issuer.url}/` }, emit);
  await expect(wrong.find({ alg: 'ES256', kid: 'first' }, { payload: '', signature: '' })).rejects.toThrow(
    'cannot be read',
  );
  expect(failures).toBe(1);
  expect(reason).toBe(`The issuer there is ${issuer.url} with the path "", and JWT_ISSUER has "/"`);
  wrong.stop();
});

it('keys at a private address are not fetched', async () => {
  issuer.claimKeysAt('http://169.254.169.254/latest/meta-data');
  expect(await finds('first')).toBe('Unavailable');
  expect(failures).toBe(1);
});

it('the log says which address could not be read, and why', async () => {
  const configuration = `${issuer.url}/.well-known/openid-configuration`;
  issuer.breakDown(true);
  expect(await finds('first')).toBe('Unavailable');
  expect(reason).toBe(`${configuration} cannot be read: it answered with HTTP 500`);
});

it.each([
  ['no keys', () => undefined],
  ['only keys for encryption', (key: object) => ({ ...key, use: 'enc' })],
])('an issuer that publishes %s is in the log, and its keys of before are not accepted', async (_, left) => {
  expect(await finds('first')).toBe(true);
  const [key = {}] = issuer.published.splice(0);
  const other = left(key);
  if (other) issuer.published.push(other as (typeof issuer.published)[number]);
  minutes(11);
  expect(await finds('first')).toBe('ERR_JWKS_NO_MATCHING_KEY');
  expect([failures, lastKind]).toEqual([1, 'issuer-without-keys']);
});
