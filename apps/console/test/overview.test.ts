import type { Overview } from '@switchyard/operator-api';
import { describe, expect, it } from 'vitest';
import { overview } from '../../../tests/support/stand-in-answers.ts';
import { verdictOf } from '../src/pages/overview/verdict.ts';
import { hasBrowser } from './support/browser.ts';
import { useConsole } from './support/use-console.ts';

const well: Overview = {
  ...overview,
  stuck: 0,
  interrupted: 0,
  deadLetters: { turn: 0, webhook: 0 },
  workers: { live: 3, silent: 0 },
  troubles: [],
  troubledAgents: 0,
  failures: { total: 0, counted: 0, reasons: [] },
  longestInterrupted: [],
  limits: [],
  kept: { wantedMs: 604_800_000, keptMs: 604_800_000 },
};

describe('the verdict of the overview', () => {
  it('is that all is well only if nothing is stuck, has failed or waits for a person', () => {
    expect(verdictOf(well)).toMatchObject({ colour: 'green', title: 'All is well' });
    expect(verdictOf({ ...well, interrupted: 1 })).toMatchObject({
      colour: 'amber',
      title: '1 task waits for a person',
    });
    expect(verdictOf({ ...well, limits: overview.limits })).toMatchObject({
      colour: 'amber',
      title: 'A limit is nearly reached',
    });
    expect(verdictOf({ ...well, failures: { ...well.failures, isPartial: true } }).title).toBe(
      'The archive does not answer',
    );
    expect(verdictOf({ ...well, failures: overview.failures }).title).toBe('63 tasks have failed in the last hour');
    expect(verdictOf({ ...well, workers: { live: 0, silent: 2 } })).toMatchObject({ colour: 'red' });
    expect(verdictOf(overview)).toMatchObject({ colour: 'red', title: 'Nobody works on 244 tasks' });
  });
});

describe.runIf(hasBrowser)('the overview', () => {
  const ui = useConsole();

  it('is accessible (WCAG AA)', () =>
    ui.check('/overview', (page) => page.getByText('Nobody works on 244 tasks').waitFor()));

  it('leads from a number to the tasks behind it, by keyboard', async () => {
    await using opened = await ui.open('/overview');
    const { page } = opened;
    await page.getByRole('navigation').getByRole('link', { name: 'Tasks 244 stuck' }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Agents 3 in trouble' }).waitFor();
    await page
      .getByRole('row', { name: /Kitchen No worker/ })
      .getByRole('link', { name: '3', exact: true })
      .focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=is%3Astuck\+agent%3Akitchen/);
    await ui.asked({ query: { stuck: 'true', agent: 'kitchen' } });
    expect(opened.problems).toEqual([]);
  });

  it('says where files are stored, and that they cannot be', async () => {
    await using opened = await ui.open('/overview');
    const { page } = opened;
    await page.getByText('1,234 stored, 34 MB, encrypted, volume 43 % full.').waitFor();
    ui.api.answer('/admin/files', { files: { place: '/srv/files', isEncrypted: false, problem: 'EACCES' } });
    await page.getByText('Nothing can be written there: EACCES').waitFor();
    await page.getByText('not counted yet, not encrypted.').waitFor();
    ui.api.answer('/admin/files', {});
    await page.getByRole('heading', { name: 'Files' }).waitFor({ state: 'detached' });
  });

  // Last: the other tests need the usual overview.
  it('says that all is well, without numbers in the navigation', async () => {
    ui.api.answer('/admin/overview', well);
    await using opened = await ui.open('/overview');
    await opened.page.getByText('All is well').waitFor();
    await expect.poll(() => opened.page.getByRole('navigation').locator('.count').count()).toBe(0);
  });
});
