import { ProxyError } from '@switchyard/outgoing';
import { expect, it } from 'vitest';
import { outcomeOfError } from '../../src/push/outcome.ts';

const proxy = new URL('http://ada:s3cret@proxy.test:3128');

it.each([
  [407, 'failed', 'it wants a user name and password, in HTTPS_PROXY or HTTP_PROXY'],
  [503, 'failed', 'it cannot reach this address'],
  [403, 'refused', 'it does not allow this address'],
])('a webhook whose proxy answers %i is %s, and the reason says that it was the proxy', (status, kind, words) => {
  const reason = `the proxy http://proxy.test:3128 answered ${status}: ${words}`;
  expect(outcomeOfError(ProxyError.ofStatus(status, proxy))).toMatchObject({ kind, reason });
});
