import { describe, expect, it } from 'vitest';
import { interrupted } from '../../../tests/support/stand-in-answers.ts';
import { hasBrowser } from './support/browser.ts';
import { useConsole } from './support/use-console.ts';

describe.runIf(hasBrowser)('the inbox', () => {
  const ui = useConsole();

  const [oldest, second] = interrupted.map(({ taskId }) => taskId);

  it('is accessible (WCAG AA)', () => ui.check(`/inbox/${second}`, (page) => page.getByLabel('Your answer').waitFor()));

  it('lists the longest waiting task first, and answers a task in place', async () => {
    await using opened = await ui.open('/inbox');
    const { page } = opened;
    await page.getByText('Which size would you like').waitFor();
    await page.keyboard.press('j');
    await page.getByLabel('Your answer').fill('large');
    await page.waitForURL(`${ui.api.url}/console/inbox/${oldest}`);
    await page.getByRole('button', { name: 'Answer' }).click();
    const { body } = await ui.asked({ path: `/admin/tasks/${oldest}:answer` });
    expect(body).toMatchObject({ parts: [{ text: 'large' }] });
    const tasks = interrupted.slice(1);
    ui.api.answer('/admin/interrupted', { tasks, totalSize: tasks.length, nextPageToken: '' });
    await page.getByText('It waits no longer').waitFor();
    ui.api.answer('/admin/interrupted', { tasks: [], totalSize: 0, nextPageToken: '' });
    await page.getByText('Nobody waits for you').waitFor();
    expect(opened.problems).toEqual([]);
  });
});
