import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { hasBrowser } from './support/browser.ts';
import { useConsole } from './support/use-console.ts';

describe.runIf(hasBrowser)('queues and what they gave up', { timeout: 30_000 }, () => {
  const ui = useConsole();

  const wasAsked = (path: string) =>
    until(() => ui.api.asked.find((each) => each.method === 'POST' && each.path === path), { what: path });

  it('show what waits for each agent, and for whom; an agent is paused and resumed', async () => {
    await using opened = await ui.open('/queues');
    const { page } = opened;
    const row = page.getByRole('row', { name: 'Researcher' });
    await row.getByText('Paused').waitFor();
    await row.getByRole('button', { name: 'Resume' }).click();
    await wasAsked('/admin/agents/researcher:resume');
    await page.getByRole('row', { name: 'Kitchen' }).getByText('No worker').waitFor();
    await row.getByTitle('Tenants that wait for Researcher').click();
    await page.getByRole('dialog').getByText('acme').waitFor();
    expect(opened.problems).toEqual([]);
  });

  it('of dead letters those of a reason are found, and retried together with progress', async () => {
    await using opened = await ui.open('/dead-letters');
    const { page } = opened;
    await page.getByText('The worker died').first().waitFor();
    await page.getByLabel('Part of the reason').fill('overloaded');
    await page.getByText('The worker died').first().waitFor({ state: 'detached' });
    expect(page.url()).toContain('reason=overloaded');
    await page.getByRole('button', { name: 'Retry all' }).click();
    await page.getByRole('button', { name: /^Retry \d+$/ }).click();
    await page.getByText('320 of 320').waitFor();
    const { body } = await wasAsked('/admin/dead-letters:retry');
    expect(body).toEqual({ reason: 'overloaded' });
    await page.getByRole('button', { name: 'Done' }).click();
    expect(opened.problems).toEqual([]);
  });

  it('a dead letter is looked into, and retried: its new task is shown', async () => {
    await using opened = await ui.open('/dead-letters?kind=turn');
    const { page } = opened;
    await page.getByRole('button', { name: 'The worker died' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Dead letter' });
    await dialog.getByText('message-0').first().waitFor();
    await dialog.getByRole('button', { name: 'Retry' }).click();
    await page.waitForURL(/\/console\/tasks\/./);
    expect(opened.problems).toEqual([]);
  });

  it.each<[path: string, ready: (page: Page) => Promise<void>]>([
    ['/queues', (page) => page.getByRole('row', { name: 'Kitchen' }).waitFor()],
    // Each row takes axe its time.
    ['/dead-letters?kind=webhook&reason=404', (page) => page.getByText('answered 404').first().waitFor()],
  ])('%s can be read by everyone', (path, ready) => ui.check(path, ready));
});
