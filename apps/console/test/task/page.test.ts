import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consolePage } from '../../../../tests/support/console-page.ts';
import { task, taskDetail } from '../../../../tests/support/stand-in-answers.ts';
import { openStandInApi, type StandInApi } from '../../../../tests/support/stand-in-api.ts';
import { until } from '../../../../tests/support/until.ts';
import { hasBrowser, openBrowser, openPage } from '../support/browser.ts';
import { checkPage } from '../support/check-page.ts';

/** Tasks of the stand-in, by what they are in. */
const numbers = { working: 0, waiting: 4, failed: 5, queued: 6 };
const idOf = (name: keyof typeof numbers): string => taskDetail(numbers[name]).taskId;

describe.runIf(hasBrowser)('the page of a task', () => {
  let browser: Browser;
  let api: StandInApi;

  beforeAll(async () => {
    browser = await openBrowser();
    api = await openStandInApi({ tasks: 20_000, page: await consolePage() });
  });
  afterAll(async () => {
    await browser?.close();
    await api?.[Symbol.asyncDispose]();
  });

  const at = (name: keyof typeof numbers, query = '') => ({
    url: api.url,
    key: api.key,
    path: `/task/${idOf(name)}${query}`,
  });
  const lastAsked = (path: string) => api.asked.filter((asked) => asked.path === path).at(-1)?.body;

  it('can be read by everyone when the task is stuck', () =>
    checkPage(browser, { ...at('queued'), ready: (page) => page.getByText('No live worker runs').waitFor() }));

  it('can be read by everyone when the task waits for a person', () =>
    checkPage(browser, { ...at('waiting'), ready: (page) => page.getByLabel('Your answer').waitFor() }));

  it('can be read by everyone as JSON', () =>
    checkPage(browser, {
      ...at('failed', '?view=json'),
      ready: (page) => page.getByText('"messagesAccepted"').waitFor(),
    }));

  it('answers in the place of the client', async () => {
    await using opened = await openPage(browser, at('waiting'));
    const { page } = opened;
    await page.getByLabel('Your answer').fill('A large one');
    await page.getByRole('button', { name: 'Answer' }).last().click();
    await until(() => lastAsked(`/admin/tasks/${idOf('waiting')}:answer`), { what: 'the answer is sent' });
    expect(lastAsked(`/admin/tasks/${idOf('waiting')}:answer`)).toMatchObject({ parts: [{ text: 'A large one' }] });
    expect(opened.problems).toEqual([]);
  });

  it('runs a task again from a step, with other words, and goes to the new one', async () => {
    await using opened = await openPage(browser, at('failed'));
    const { page } = opened;
    await page.getByRole('button', { name: 'Run again' }).first().click();
    await page.getByLabel('From').selectOption('price');
    await page.getByText('Remembered, not run again: menu').waitFor();
    await page.getByLabel('Message', { exact: true }).fill('Go slowly');
    await page.getByRole('dialog').getByRole('button', { name: 'Run again' }).click();
    await page.waitForURL((url) => !url.pathname.includes(idOf('failed')));
    expect(lastAsked(`/admin/tasks/${idOf('failed')}:rerun`)).toMatchObject({
      fromStep: 'price',
      parts: [{ text: 'Go slowly' }],
    });
    expect(opened.problems).toEqual([]);
  });

  it('opens what a called task did in its place', async () => {
    await using opened = await openPage(browser, at('working'));
    const { page } = opened;
    const lines = page.locator('.timeline li');
    const before = await until(() => lines.count(), { what: 'the timeline is shown' });
    await page.getByRole('button', { name: 'What kitchen did' }).click();
    await until(async () => (await lines.count()) > before, { what: 'there are lines of the called task' });
  });

  it('cancels', async () => {
    await using opened = await openPage(browser, at('working'));
    await opened.page.getByRole('button', { name: 'Cancel' }).click();
    const isAsked = () => api.asked.some(({ path }) => path === `/admin/tasks/${idOf('working')}:cancel`);
    await until(isAsked, { what: 'the cancel is sent' });
  });

  it('shows every kind of content, and takes over no HTML', async () => {
    const path = `/admin/tasks/${idOf('working')}/events`;
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const parts = [
      { text: 'plain <b>words</b>' },
      {
        text: '# Title\n\n- [x] one\n- two <img src=x onerror=alert(1)>\n\n[a](javascript:alert(1)) | [b](https://example.com)\n\n```js\nlet a = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |',
        mediaType: 'text/markdown',
      },
      { data: { size: 'large', toppings: ['ham', 'pineapple'], price: 12.5, isHot: true, note: null } },
      { raw: pixel, filename: 'dot.png', mediaType: 'image/png' },
      { raw: 'aGVsbG8=', filename: 'hello.txt', mediaType: 'text/plain' },
      { url: 'https://example.com/menu.pdf', filename: 'menu.pdf' },
    ];
    const all = { ...task(numbers.working), artifacts: [{ artifactId: 'all', name: 'All of it', parts }] };
    api.send(path, { task: all });
    await checkPage(browser, {
      ...at('working'),
      ready: async (page) => {
        await page.getByRole('img', { name: 'dot.png' }).waitFor();
        await page.getByText('plain <b>words</b>').waitFor();
        await page.getByText('<img src=x onerror=alert(1)>').waitFor();
        expect(await page.getByRole('link', { name: 'a', exact: true }).count()).toBe(0);
        expect(await page.getByRole('link', { name: 'b', exact: true }).getAttribute('rel')).toContain('noreferrer');
      },
    });
  });
});
