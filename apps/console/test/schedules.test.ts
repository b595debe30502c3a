import { describe, expect, it } from 'vitest';
import { schedules } from '../../../tests/support/stand-in-answers.ts';
import { hasBrowser } from './support/browser.ts';
import { useConsole } from './support/use-console.ts';

describe.runIf(hasBrowser)('the page of schedules', () => {
  const ui = useConsole();

  it('shows when each begins next and how its last task ended, in every view', () =>
    ui.check('/schedules', (page) => page.getByText('0 9 * * MON-FRI').waitFor()));

  it('pauses one, resumes another, and ends one after a question', async () => {
    await using opened = await ui.open('/schedules');
    const { page } = opened;
    const path = (n: number) => `/admin/schedules/${schedules[n]?.scheduleId}`;
    await page.getByRole('button', { name: 'Pause' }).first().click();
    await ui.asked({ path: `${path(0)}:pause` });
    await page.getByRole('button', { name: 'Resume' }).click();
    await ui.asked({ path: `${path(1)}:resume` });
    await page.getByRole('button', { name: 'End', exact: true }).nth(2).click();
    await page.getByText('It cannot be undone').waitFor();
    await page.getByRole('button', { name: 'End it' }).click();
    await ui.asked({ path: `${path(2)}:end` });
    ui.api.answer('/admin/schedules', { schedules: [], totalSize: 0, nextPageToken: '' });
    await page.getByText('Nothing is scheduled').waitFor();
    expect(opened.problems).toEqual([]);
  });
});
