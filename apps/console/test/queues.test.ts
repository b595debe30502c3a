import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasBrowser } from './support/browser.ts';
import { useConsole } from './support/use-console.ts';

describe.runIf(hasBrowser)('the pages of queues and dead letters', () => {
  const ui = useConsole();

  it('show the waiting tasks of each agent and tenant, and pause and resume an agent', async () => {
    await using opened = await ui.open('/queues');
    const { page } = opened;
    const row = page.getByRole('row', { name: 'Researcher' });
    await row.getByText('Paused').waitFor();
    await row.getByText('200 normal, 40 low').waitFor();
    await row.getByRole('button', { name: 'Resume' }).click();
    await ui.asked({ method: 'POST', path: '/admin/agents/researcher:resume' });
    await page.getByRole('row', { name: 'Kitchen' }).getByText('No worker').waitFor();
    await row.getByTitle('Tenants that wait for Researcher').click();
    await page.getByRole('dialog').getByText('acme').waitFor();
    expect(opened.problems).toEqual([]);
  });

  it('find dead letters by reason, and retry them together with progress', async () => {
    await using opened = await ui.open('/dead-letters');
    const { page } = opened;
    await page.getByText('The worker died').first().waitFor();
    await page.getByLabel('Part of the reason').fill('overloaded');
    await page.getByText('The worker died').first().waitFor({ state: 'detached' });
    expect(page.url()).toContain('reason=overloaded');
    await page.getByRole('button', { name: 'Retry all' }).click();
    await page.getByRole('button', { name: /^Retry \d+$/ }).click();
    await page.getByText('320 of 320').waitFor();
    const { body } = await ui.asked({ method: 'POST', path: '/admin/dead-letters:retry' });
    expect(body).toEqual({ reason: 'overloaded' });
    await page.getByRole('button', { name: 'Done' }).click();
    expect(opened.problems).toEqual([]);
  });

  it('delete several dead letters with one action', async () => {
    await using opened = await ui.open('/dead-letters?kind=webhook');
    const { page } = opened;
    const boxes = page.getByRole('checkbox');
    await boxes.first().check();
    await boxes.nth(1).check();
    expect(await page.locator('tr[aria-selected=true]').count()).toBe(2);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete 2' }).click();
    await page.getByText('2 of 2').waitFor();
    const deleted = ui.api.requests.filter(({ method }) => method === 'DELETE');
    expect(new Set(deleted.map(({ path }) => path)).size).toBe(2);
    expect(opened.problems).toEqual([]);
  });

  it('show a dead letter, retry it, and open its new task', async () => {
    await using opened = await ui.open('/dead-letters?kind=turn');
    const { page } = opened;
    await page.getByRole('button', { name: 'The worker died' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Dead letter' });
    await dialog.getByText('message-0').first().waitFor();
    await dialog.getByRole('button', { name: 'Retry' }).click();
    await page.waitForURL(/\/console\/tasks\/./);
    await page.getByRole('button', { name: 'What kitchen did' }).waitFor();
    expect(opened.problems).toEqual([]);
  });

  it.each<[path: string, ready: (page: Page) => Promise<void>]>([
    ['/queues', (page) => page.getByRole('row', { name: 'Kitchen' }).waitFor()],
    // The accessibility check takes time for each row.
    ['/dead-letters?kind=webhook&reason=404', (page) => page.getByText('answered 404').first().waitFor()],
  ])('%s is accessible (WCAG AA)', (path, ready) => ui.check(path, ready));
});
