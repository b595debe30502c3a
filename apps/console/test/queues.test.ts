import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consolePage } from '../../../tests/support/console-page.ts';
import { openStandInApi, type StandInApi } from '../../../tests/support/stand-in-api.ts';
import { until } from '../../../tests/support/until.ts';
import { hasBrowser, openBrowser, openPage } from './support/browser.ts';
import { checkPage } from './support/check-page.ts';

describe.runIf(hasBrowser)('queues', () => {
  let browser: Browser;
  let api: StandInApi;

  beforeAll(async () => {
    browser = await openBrowser();
    api = await openStandInApi({ page: await consolePage() });
  });

  afterAll(async () => {
    await browser?.close();
    await api?.[Symbol.asyncDispose]();
  });

  const at = (path: string) => ({ url: api.url, key: api.key, path });
  const wasAsked = (path: string) =>
    until(() => api.asked.find((each) => each.method === 'POST' && each.path === path), { what: path });

  it('show what waits for each agent, and for whom; an agent is paused and resumed', async () => {
    await using opened = await openPage(browser, at('/queues'));
    const { page } = opened;
    const row = page.getByRole('row', { name: 'Researcher' });
    await row.getByText('Paused').waitFor();
    await row.getByRole('button', { name: 'Resume' }).click();
    await wasAsked('/admin/agents/researcher:resume');
    await page.getByRole('row', { name: 'Kitchen' }).getByText('No worker').waitFor();
    await row.getByTitle('Who waits for Researcher').click();
    await page.getByRole('dialog').getByText('acme').waitFor();
    expect(opened.problems).toEqual([]);
  });

  it('can be read by everyone', () =>
    checkPage(browser, { ...at('/queues'), ready: (page) => page.getByRole('row', { name: 'Kitchen' }).waitFor() }));
});
