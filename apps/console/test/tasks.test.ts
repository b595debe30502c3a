import { describe, expect, it } from 'vitest';
import { taskRow } from '../../../tests/support/stand-in-answers.ts';
import type { ReceivedRequest } from '../../../tests/support/stand-in-api.ts';
import { until } from '../../../tests/support/until.ts';
import { termIn, withTerm } from '../src/pages/tasks/search-text.ts';
import { hasBrowser } from './support/browser.ts';
import { useConsole } from './support/use-console.ts';

describe('a search', () => {
  it('keeps the other words when one changes', () => {
    expect(withTerm('agent:pizza state:failed', 'agent', 'echo')).toBe('state:failed agent:echo');
    expect(withTerm('agent:pizza', 'agent', '')).toBe('');
    expect(termIn('agent:pizza state:failed', 'state')).toBe('failed');
  });
});

describe.runIf(hasBrowser)('the page of tasks', () => {
  const ui = useConsole();

  it('searches while the user types, and keeps the search in the URL', async () => {
    await using opened = await ui.open('/tasks');
    const { page } = opened;
    await page.getByText('10,000', { exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('agent:pizza state:completed');
    await page.waitForURL(/q=agent%3Apizza\+state%3Acompleted/);
    await ui.asked({ path: '/admin/tasks', query: { agent: 'pizza', state: 'TASK_STATE_COMPLETED' } });
    await page.getByRole('button', { name: 'Failed', exact: true }).click();
    await page.waitForURL(/q=state%3Afailed/);
    await page.goBack();
    await expect.poll(() => page.getByLabel('Search tasks').inputValue()).toBe('agent:pizza state:completed');
    expect(opened.problems).toEqual([]);
  });

  it('keeps what is typed while its search begins, a blank at the end as well', async () => {
    await using opened = await ui.open('/tasks');
    const { page } = opened;
    await page.getByText('10,000', { exact: true }).waitFor();
    await page.keyboard.press('/');
    // In pauses of which some are as long as that after which the search begins.
    for (const [at, letter] of [...'agent:pizza '].entries())
      await page.keyboard.type(letter, { delay: at % 3 === 0 ? 200 : 20 });
    await page.waitForURL(/q=agent%3Apizza$/);
    expect(await page.getByLabel('Search tasks').inputValue()).toBe('agent:pizza ');
    expect(opened.problems).toEqual([]);
  });

  it('continues a filtered list with its own page tokens', async () => {
    await using opened = await ui.open('/tasks');
    const { page } = opened;
    await page.getByText('10,000', { exact: true }).waitFor();
    await until(() => ui.api.requests.some(({ query }) => query.pageToken), { what: 'the second page' });
    await page.getByRole('button', { name: 'Failed' }).click();
    const isNext = ({ query }: ReceivedRequest) => query.state === 'TASK_STATE_FAILED' && query.pageToken;
    await until(() => ui.api.requests.some(isNext), { what: 'the second page of the failed ones' });
    await page.getByText('1,250', { exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(opened.problems).toEqual([]);
  });

  it('saves a search under a name, and finds it again', async () => {
    await using opened = await ui.open('/tasks?q=agent:pizza');
    const { page } = opened;
    await page.getByRole('button', { name: 'Save this search' }).click();
    await page.getByLabel('Name').fill('Pizza');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'All' }).click();
    await page.getByRole('button', { name: 'Pizza', exact: true }).click();
    await page.waitForURL(/q=agent%3Apizza/);
    await page.reload();
    await page.getByRole('button', { name: 'Forget “Pizza”' }).click();
    await page.getByRole('button', { name: 'Pizza', exact: true }).waitFor({ state: 'detached' });
  });

  it('explains its terms where one types, and adds one by a click', async () => {
    await using opened = await ui.open('/tasks');
    const { page } = opened;
    await page.getByLabel('Search tasks').focus();
    await page.getByText('the agent’s id').waitFor();
    await page.getByRole('button', { name: 'state:', exact: true }).click();
    await page.getByRole('button', { name: 'state:failed' }).click();
    await page.waitForURL(/q=state%3Afailed/);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'state:failed' }).waitFor({ state: 'hidden' });
    expect(opened.problems).toEqual([]);
  });

  it('searches for words, and says where they are found if there are none', async () => {
    await using opened = await ui.open('/tasks?q=agent:nobody');
    const { page } = opened;
    await page.getByLabel('Search tasks').fill('agent:nobody text:"two words"');
    await page.getByText('found in ended tasks only').waitFor();
    await ui.asked({ query: { agent: 'nobody', text: '"two words"' } });
    await page.getByLabel('Search tasks').fill('text');
    await page.getByText('words in messages and artifacts').waitFor();
    expect(opened.problems).toEqual([]);
  });

  it('shows no tasks for a search that it does not understand', async () => {
    await using opened = await ui.open('/tasks?q=colour:red');
    await opened.page.getByText('Unknown search term “colour:”').waitFor();
    expect(await opened.page.getByRole('row').count()).toBe(0);
  });

  it('chooses several tasks by keyboard, cancels all of them, and says which were refused', async () => {
    await using opened = await ui.open('/tasks');
    const { page } = opened;
    const grid = page.getByRole('grid', { name: 'Tasks' });
    await grid.getByRole('link').nth(2).waitFor();
    const ended = { error: { code: 400, message: 'The task has ended already', details: [] } };
    await page.route(`**/${taskRow(1).taskId}:cancel`, (route) => route.fulfill({ status: 400, json: ended }));
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await page.waitForFunction(`document.activeElement.href.endsWith('${taskRow(1).taskId}')`);
    await until(async () => (await grid.locator('[aria-selected=true]').count()) === 2, { what: 'two are chosen' });
    await page.getByText('2 chosen').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel 2' }).click();
    await page.getByText('2 of 2, 1 refused').waitFor();
    await page.getByText('The task has ended already').waitFor();
    await ui.asked({ path: `/admin/tasks/${taskRow(0).taskId}:cancel` });
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('2 chosen').waitFor({ state: 'detached' });
  });

  it('is accessible (WCAG AA)', () =>
    ui.check('/tasks?q=agent:pizza', (page) =>
      page.getByRole('region', { name: 'Tasks' }).getByRole('link').nth(5).waitFor(),
    ));

  it('shows live changes, and opens a task by keyboard', async () => {
    const shown = (tasks: readonly object[]) =>
      ui.api.answer('/admin/tasks', { tasks, totalSize: tasks.length, nextPageToken: '', isPartial: false });
    const three = [0, 1, 2].map(taskRow);
    shown(three);
    await using opened = await ui.open('/tasks');
    const { page } = opened;
    const list = page.getByRole('region', { name: 'Tasks' });
    await list.getByRole('link').nth(2).waitFor();
    await page.keyboard.press('j');
    shown([{ ...taskRow(900), text: 'Just arrived' }, ...three]);
    await list.getByText('Just arrived').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/tasks/${taskRow(1).taskId}`);
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    expect(opened.problems).toEqual([]);
  });

  it('has the cost of each task, and sorts by it', async () => {
    const tasks = [{ ...taskRow(5), microUsd: 12_500, unpricedCalls: 2 }, { ...taskRow(1), microUsd: 900 }, taskRow(2)];
    ui.api.answer('/admin/tasks', { tasks, totalSize: 3, nextPageToken: '', isPartial: false });
    await using opened = await ui.open('/tasks?q=agent:pizza');
    const { page } = opened;
    await page.getByText('0.0125 USD + ?').waitFor();
    await page.getByRole('button', { name: 'Cost', exact: true, includeHidden: true }).click();
    await page.waitForURL(/q=agent%3Apizza\+sort%3Acost/);
    await ui.asked({ query: { sort: 'cost' } });
    await page.getByRole('button', { name: 'Cost ↓', includeHidden: true }).click();
    await page.waitForURL(/q=agent%3Apizza$/);
    expect(opened.problems).toEqual([]);
  });

  // Last: the other tests need the usual tasks.
  it('has no gap after more new tasks than a page has: it reads the others again', async () => {
    const answer = (from: number, nextPageToken: string): void => {
      const tasks = Array.from({ length: 100 }, (_, i) => taskRow(from + i));
      ui.api.answer('/admin/tasks', { tasks, totalSize: 500, nextPageToken, isPartial: false });
    };
    answer(300, 'after-400');
    await using opened = await ui.open('/tasks');
    const list = opened.page.locator('.virtual-rows');
    const shows = (count: number) =>
      until(async () => (await list.boundingBox())?.height === count * 36, { what: `${count} rows` });
    await shows(100);
    answer(250, 'after-350');
    await shows(150);
    answer(0, 'after-100');
    await shows(100);
    await ui.asked({ query: { pageToken: 'after-100' } });
    expect(opened.problems).toEqual([]);
  });
});
