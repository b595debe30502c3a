import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { consolePage } from '../../../tests/support/console-page.ts';
import { type Stack, startStack } from '../../../tests/support/stack.ts';
import { hasBrowser, openPage, sharedBrowser } from './support/browser.ts';

const key = 'a-key-for-operators';

describe.runIf(hasBrowser)('the console of a real deployment', () => {
  let browser: Browser;
  let stack: Stack;
  let url = '';

  beforeAll(async () => {
    const env = { ADMIN_PORT: '0', ADMIN_KEY: key };
    [browser, stack] = await Promise.all([
      sharedBrowser(),
      startStack({ redisUrl: inject('redisUrl'), agents: ['pizza', 'echo'], env }),
      consolePage(),
    ]);
    const [gateway] = stack.gateways;
    url = gateway?.output().match(/"adminUrl":"([^"]+)"/)?.[1] ?? '';
  });

  afterAll(async () => {
    await stack?.stop();
  });

  it('calls an agent that asks back, and shows the task in the list until it ends', async () => {
    await using opened = await openPage(browser, { url, key, path: '/agents/pizza' });
    await using list = await openPage(browser, { url, key, path: '/tasks?q=agent:pizza' });
    const { page } = opened;
    await page.getByRole('button', { name: 'I want a pizza' }).click();
    await page.getByText('Needs input').waitFor();
    await list.page.getByRole('link', { name: /Needs input .* I want a pizza pizza/ }).waitFor();
    await page.getByLabel('Message').fill('Hawaiian, please');
    await page.keyboard.press('Enter');
    await page.getByText('Your Hawaiian pizza is on its way.').first().waitFor();
    await list.page.getByRole('link', { name: /Completed .* I want a pizza pizza/ }).waitFor();
    await page.getByRole('link', { name: 'See the task' }).last().click();
    await page.waitForURL('**/console/tasks/*');
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    expect([...opened.problems, ...list.problems]).toEqual([]);
  });

  it('sends text, a file and data in one message', async () => {
    await using opened = await openPage(browser, { url, key, path: '/agents/echo' });
    const { page } = opened;
    await page.getByLabel('Files').setInputFiles({
      name: 'note.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('from a file'),
    });
    await page.getByRole('button', { name: 'Data' }).click();
    await page.getByLabel('Data as JSON').fill('{"size": "large"');
    await page.getByLabel('Message').fill('from the keyboard');
    await page.keyboard.press('Enter');
    await page.getByText('The data is not JSON').waitFor();
    await page.getByLabel('Data as JSON').fill('{"size": "large"}');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Completed').waitFor();
    const talk = page.getByRole('region', { name: 'Conversation' });
    expect(await talk.getByText('from the keyboard').count()).toBeGreaterThan(1);
    expect(await talk.getByText('note.txt').count()).toBeGreaterThan(0);
    expect(await talk.getByText('"large"').count()).toBeGreaterThan(0);
    expect(opened.problems).toEqual([]);
  });

  it('finds a task by its id, its state and its age', async () => {
    await using opened = await openPage(browser, { url, key, path: '/tasks?q=agent:echo+state:completed+since:5m' });
    const { page } = opened;
    const task = page.getByRole('region', { name: 'Tasks' }).getByRole('link');
    await task.first().waitFor();
    expect(await task.count()).toBe(1);
    const id = (await task.getAttribute('href'))?.split('/').at(-1) ?? '';
    await page.getByLabel('Search tasks').fill(id);
    await page.waitForURL(`**/tasks?q=${id}`);
    await page.getByText('1', { exact: true }).waitFor();
    expect(await task.count()).toBe(1);
    expect(opened.problems).toEqual([]);
  });
});
