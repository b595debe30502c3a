import { describe, expect, it } from 'vitest';
import { interrupted } from '../../../tests/support/stand-in-answers.ts';
import { hasBrowser } from './support/browser.ts';
import { useConsole } from './support/use-console.ts';

describe.runIf(hasBrowser)('the frame of the console', () => {
  const ui = useConsole();

  it('signs in with the key in the URL fragment, and removes it from the address', async () => {
    await using opened = await ui.open('/queues');
    await opened.page.getByRole('heading', { level: 1, name: 'Queues' }).waitFor();
    await opened.page.waitForURL(`${ui.api.url}/console/queues`);
    expect(opened.problems).toEqual([]);
  });

  it('shows the first page for the link that npm start prints', async () => {
    await using opened = await ui.open('/');
    await opened.page.getByRole('button', { name: 'Sign out' }).waitFor();
    await opened.page.waitForURL(`${ui.api.url}/console/overview`);
  });

  it('asks for a key, refuses a wrong one, and accepts the right one', async () => {
    await using opened = await ui.open('/queues', { key: 'a-wrong-key' });
    const { page } = opened;
    await page.getByText('This key is not known here.').waitFor();
    await page.getByLabel('Key of an operator').fill(ui.api.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Queues' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  it('has five pages at the bottom of a phone without scrolling, and the others under More', async () => {
    await using opened = await ui.open('/queues', { view: 'phone' });
    const { page } = opened;
    const bar = page.getByRole('navigation', { name: 'Pages' });
    await bar.getByRole('link', { name: 'Queues' }).waitFor();
    expect(await bar.getByRole('link').count()).toBe(5);
    expect(await bar.evaluate((nav) => nav.scrollWidth <= nav.clientWidth)).toBe(true);
    await bar.getByRole('button', { name: 'More' }).click();
    const more = page.getByRole('dialog', { name: 'More' });
    await expect
      .poll(() => more.getByRole('link').allInnerTexts())
      .toMatchObject(['Conversations', 'Schedules', 'Usage', expect.stringMatching(/^Dead letters\s+320/)]);
    await more.getByRole('link', { name: 'Schedules' }).click();
    await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
    await more.waitFor({ state: 'hidden' });
    expect(opened.problems).toEqual([]);
  });

  it('signs out on a phone, too, and changes its colours there', async () => {
    await using opened = await ui.open('/queues', { view: 'phone' });
    const { page } = opened;
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Colours: system' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(opened.problems).toEqual([]);
  });

  it('navigates by links, by keyboard shortcuts and back', async () => {
    await using opened = await ui.open('/queues');
    const { page } = opened;
    await page.getByRole('navigation').getByRole('link', { name: 'Inbox' }).click();
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await page.getByRole('heading', { level: 1, name: 'Dead letters' }).waitFor();
    await page.waitForURL(`${ui.api.url}/console/dead-letters`);
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    expect(opened.problems).toEqual([]);
  });

  it('asks before a link replaces the operator of a tab', async () => {
    await using opened = await ui.open('/queues');
    const { page } = opened;
    await page.getByRole('heading', { level: 1, name: 'Queues' }).waitFor();
    await page.goto(`${ui.api.url}/console/tasks#key=of-somebody-else`);
    await page.getByText('Sign in with another key?').waitFor();
    await page.waitForURL((url) => !url.href.includes('somebody'));
    await page.getByRole('button', { name: 'Stay signed in as before' }).click();
    await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
    // The page is open: only the part after # changes.
    await page.evaluate("location.hash = 'key=of-somebody-else'");
    await page.getByRole('button', { name: 'Use the key of the link' }).click();
    await page.getByText('This key is not known here.').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  it('skips the navigation by keyboard', async () => {
    await using opened = await ui.open('/queues');
    const { page } = opened;
    await page.getByRole('heading', { level: 1, name: 'Queues' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForFunction("document.activeElement?.id === 'main'");
    await page.getByRole('heading', { level: 1, name: 'Queues' }).waitFor();
  });

  it('asks for no task without an id after Back from a task', async () => {
    await using opened = await ui.open('/tasks');
    const { page } = opened;
    await page.getByRole('region', { name: 'Tasks' }).getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    const asked = ui.api.requests.length;
    await page.goBack();
    await page.getByRole('region', { name: 'Tasks' }).getByRole('link').first().waitFor();
    const asks = ui.api.requests.slice(asked).map(({ path }) => path);
    expect(asks.filter((path) => !/^\/admin\/tasks(?:$|\/[0-9a-f-]{36})/.test(path))).toEqual([]);
    expect(opened.problems).toEqual([]);
  });

  it('is live again after a reconnect, also when nothing has changed', async () => {
    await using opened = await ui.open('/queues');
    const { page } = opened;
    await page.getByText('Live', { exact: true }).waitFor();
    await page.route('**/admin/agents*', (route) => route.abort());
    ui.api.cut();
    await page.getByText('Not live').waitFor();
    await page.unroute('**/admin/agents*');
    await page.getByText('Live', { exact: true }).waitFor();
  });

  it('reloads, once, when the gateway was upgraded and has other files', async () => {
    await using opened = await ui.open('/queues');
    const { page } = opened;
    await page.getByRole('heading', { level: 1, name: 'Queues' }).waitFor();
    await page.route(/assets\/.*\.js/, (route) => route.fulfill({ status: 404, body: 'There is no such file' }));
    await page.evaluate('window.isOldPage = true');
    const reloaded = page.waitForEvent('load');
    await page.getByRole('navigation').getByRole('link', { name: 'Inbox' }).click();
    await reloaded;
    expect(await page.evaluate('window.isOldPage')).toBeUndefined();
    await page.unroute(/assets\/.*\.js/);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    // It has reloaded just now: now it says what is wrong.
    await page.route(/assets\/.*\.js/, (route) => route.fulfill({ status: 404, body: 'There is no such file' }));
    await page.getByRole('navigation').getByRole('link', { name: 'Agents' }).click();
    await page.getByText('This page could not be loaded').waitFor();
  });

  it('keeps its navigation when a page fails', async () => {
    ui.api.answer('/admin/interrupted', {
      tasks: [{ ...interrupted[0], interruptedSince: 'never' }],
      totalSize: 1,
      nextPageToken: '',
    });
    await using opened = await ui.open('/queues');
    const { page } = opened;
    await page.evaluate("Date.parse = () => { throw new RangeError('no such time') }");
    await page.getByRole('navigation').getByRole('link', { name: 'Inbox' }).click();
    await page.getByText('This page has failed').waitFor();
    await page.getByText('What happened').click();
    await page.getByText('no such time').first().waitFor();
    await page.evaluate('Date.parse = () => 0');
    await page.getByRole('navigation').getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
  });

  it('blocks foreign scripts by its content security policy', async () => {
    await using opened = await ui.open('/queues');
    const { page, problems } = opened;
    await page.getByRole('heading', { level: 1, name: 'Queues' }).waitFor();
    const hasRun = await page.evaluate(`
      const script = document.createElement('script');
      script.textContent = 'window.hasRun = true';
      document.body.append(script);
      window.hasRun === true;
    `);
    expect(hasRun).toBe(false);
    await expect.poll(() => problems.join()).toContain('Content Security Policy');
  });

  it('is accessible for an unknown page', () =>
    ui.check('/nowhere', (page) => page.getByText('There is no such page').waitFor()));

  it('is accessible when it asks for a key', () =>
    ui.check('/tasks', (page) => page.getByRole('button', { name: 'Sign in' }).waitFor(), ''));
});
