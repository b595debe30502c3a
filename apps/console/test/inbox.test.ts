import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consolePage } from '../../../tests/support/console-page.ts';
import { interrupted } from '../../../tests/support/stand-in-answers.ts';
import { openStandInApi, type StandInApi } from '../../../tests/support/stand-in-api.ts';
import { until } from '../../../tests/support/until.ts';
import { hasBrowser, openBrowser, openPage } from './support/browser.ts';
import { checkPage } from './support/check-page.ts';

describe.runIf(hasBrowser)('the inbox', () => {
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
  const [oldest, second] = interrupted.map(({ taskId }) => taskId);

  it('can be read by everyone', () =>
    checkPage(browser, {
      ...at(`/inbox/${second}`),
      ready: (page) => page.getByLabel('Your answer').waitFor(),
    }));

  it('shows who waits longest first, and a task is answered in place', async () => {
    await using opened = await openPage(browser, at('/inbox'));
    const { page } = opened;
    await page.getByText('Which size would you like').waitFor();
    await page.keyboard.press('j');
    await page.getByLabel('Your answer').fill('large');
    expect(page.url()).toBe(`${api.url}/console/inbox/${oldest}`);
    await page.getByRole('button', { name: 'Answer' }).click();
    const path = `/admin/tasks/${oldest}:answer`;
    const { body } = await until(() => api.asked.find((each) => each.path === path), { what: path });
    expect(body).toMatchObject({ parts: [{ text: 'large' }] });
    const tasks = interrupted.slice(1);
    api.answer('/admin/interrupted', { tasks, totalSize: tasks.length, nextPageToken: '' });
    await page.getByText('It waits no longer').waitFor();
    api.answer('/admin/interrupted', { tasks: [], totalSize: 0, nextPageToken: '' });
    await page.getByText('Nobody waits for you').waitFor();
    expect(opened.problems).toEqual([]);
  });
});
