import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consolePage } from '../../../tests/support/console-page.ts';
import { openStandInApi, type StandInApi } from '../../../tests/support/stand-in-api.ts';
import { hasBrowser, openBrowser, openPage } from './support/browser.ts';
import { checkPage } from './support/check-page.ts';

describe.runIf(hasBrowser)('the page of agents', { timeout: 30_000 }, () => {
  let browser: Browser;
  let api: StandInApi;

  beforeAll(async () => {
    browser = await openBrowser();
    api = await openStandInApi({ tasks: 10, page: await consolePage() });
  });

  afterAll(async () => {
    await browser?.close();
    await api?.[Symbol.asyncDispose]();
  });

  it('tells how each agent does, and drains a worker', async () => {
    await using opened = await openPage(browser, { ...api, path: '/agents' });
    const { page } = opened;
    await page.getByRole('link', { name: /Kitchen No worker/ }).waitFor();
    await page.getByRole('link', { name: /Researcher Paused/ }).waitFor();
    await page.getByTitle('Drain host-a-1f2e3d4c').click();
    await page.getByText('It finishes what it has, and takes no more').waitFor();
    expect(api.asked.at(-1)).toMatchObject({ method: 'POST', path: '/admin/workers/host-a-1f2e3d4c:drain' });
    expect(opened.problems).toEqual([]);
  });

  it('pauses an agent, and shows its skills and its card', async () => {
    await using opened = await openPage(browser, { ...api, path: '/agents/pizza' });
    const { page } = opened;
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('What is sent to it is accepted, and waits').waitFor();
    await page.getByRole('tab', { name: 'About' }).click();
    await page.getByText('Does what it is asked').waitFor();
    await page.getByRole('tab', { name: 'Card' }).click();
    await page.getByText('"defaultInputModes"').waitFor();
    expect(opened.problems).toEqual([]);
  });

  it('can be read by everyone', () =>
    checkPage(browser, {
      ...api,
      path: '/agents',
      ready: (page) => page.getByRole('link', { name: /Pizza/ }).waitFor(),
    }));

  it('asks for a message in a way that everyone can read', () =>
    checkPage(browser, {
      ...api,
      path: '/agents/pizza',
      ready: (page) => page.getByLabel('Message').waitFor(),
    }));

  it('says what an agent is, so that everyone can read it', () =>
    checkPage(browser, {
      ...api,
      path: '/agents/pizza?tab=about',
      ready: (page) => page.getByText('Does what it is asked').waitFor(),
    }));
});
