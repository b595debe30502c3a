import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { consolePage } from '../../../tests/support/console-page.ts';
import { type Issuer, openIssuer } from '../../../tests/support/issuer.ts';
import { type Stack, startStack } from '../../../tests/support/stack.ts';
import { hasBrowser, openPage, sharedBrowser } from './support/browser.ts';

describe.runIf(hasBrowser)('the console with an OpenID Connect issuer', () => {
  let browser: Browser;
  let issuer: Issuer;
  let stack: Stack;
  let url = '';

  beforeAll(async () => {
    issuer = await openIssuer();
    issuer.claimTokensAt('localhost');
    const env = {
      ADMIN_PORT: '0',
      ADMIN_KEY: 'a-key-for-operators',
      AUTH: 'api-key jwt',
      API_KEYS: 'a-key-of-a-client:alice',
      JWT_ISSUER: issuer.url,
      JWT_AUDIENCE: 'switchyard',
      CONSOLE_OIDC_CLIENT_ID: 'console',
      PUSH: 'off',
    };
    [browser, stack] = await Promise.all([
      sharedBrowser(),
      startStack({ redisUrl: inject('redisUrl'), agents: ['echo'], env }),
      consolePage(),
    ]);
    url = stack.gateways[0]?.output().match(/"adminUrl":"([^"]+)"/)?.[1] ?? '';
  });

  afterAll(async () => {
    await stack?.stop();
    await issuer?.[Symbol.asyncDispose]();
  });

  it('signs in at the issuer, returns to the requested page, and calls an agent as the signed-in user', async () => {
    await using opened = await openPage(browser, { url, key: '', path: '/agents/echo?tab=try' });
    const { page, problems } = opened;
    await page.getByRole('button', { name: `Sign in at ${new URL(issuer.url).host}` }).click();
    await page.waitForURL(`${url}/console/agents/echo?tab=try`);
    await page.getByText('acme/alice').waitFor();
    await page.getByLabel('Message').fill('from a token');
    await page.keyboard.press('Enter');
    await page.getByText('Completed').waitFor();
    expect(problems).toEqual([]);
  });

  it('may connect only to the token endpoint of the issuer', async () => {
    const { headers } = await fetch(`${url}/console/`);
    const { port } = new URL(issuer.url);
    expect(headers.get('content-security-policy')).toContain(`; connect-src 'self' http://localhost:${port};`);
  });

  it('refuses an answer of the issuer that this tab did not request', async () => {
    await using opened = await openPage(browser, { url, key: '', path: '/tasks' });
    const { page } = opened;
    await page.getByRole('button', { name: /^Sign in at/ }).waitFor();
    await page.evaluate(
      `sessionStorage.setItem('switchyard.sign-in', '{"state":"ours","verifier":"v","returnTo":"/tasks"}')`,
    );
    await page.goto(`${url}/console/signed-in?code=theirs&state=theirs`);
    await page.getByText('does not belong to a request of this tab').waitFor();
    await page.goto(`${url}/console/signed-in?code=theirs&state=ours`);
    await page.getByText('does not belong to a request of this tab').waitFor();
    expect(opened.problems).toEqual([]);
  });
});
