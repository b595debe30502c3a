import { describe, expect, it } from 'vitest';
import { hasBrowser } from './support/browser.ts';
import { useConsole } from './support/use-console.ts';

describe.runIf(hasBrowser)('the frame of the console', { timeout: 30_000 }, () => {
  const ui = useConsole();

  it('signs in with the key in the URL fragment, and removes it from the address', async () => {
    await using opened = await ui.open('/queues');
    await opened.page.getByRole('heading', { level: 1, name: 'Queues' }).waitFor();
    expect(opened.page.url()).toBe(`${ui.api.url}/console/queues`);
    expect(opened.problems).toEqual([]);
  });

  it('shows the first page for the link that npm start prints', async () => {
    await using opened = await ui.open('/');
    await opened.page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(opened.page.url()).toBe(`${ui.api.url}/console/tasks`);
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

  it('navigates by links, by keyboard shortcuts and back', async () => {
    await using opened = await ui.open('/queues');
    const { page } = opened;
    await page.getByRole('navigation').getByRole('link', { name: 'Inbox' }).click();
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await page.getByRole('heading', { level: 1, name: 'Dead letters' }).waitFor();
    expect(page.url()).toBe(`${ui.api.url}/console/dead-letters`);
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    expect(opened.problems).toEqual([]);
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
    expect(problems.join()).toContain('Content Security Policy');
  });

  it('is accessible for an unknown page', () =>
    ui.check('/nowhere', (page) => page.getByText('There is no such page').waitFor()));

  it('is accessible when it asks for a key', () =>
    ui.check('/tasks', (page) => page.getByRole('button', { name: 'Sign in' }).waitFor(), ''));
});
