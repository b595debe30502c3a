import { describe, expect, it } from 'vitest';
import { me, overview, taskDetail } from '../../../tests/support/stand-in-answers.ts';
import { hasBrowser } from './support/browser.ts';
import { useConsole } from './support/use-console.ts';

describe.runIf(hasBrowser)('the console of several deployments', () => {
  const ui = useConsole();

  it('shows one, which the operator chooses, and says which does not answer', async () => {
    const { api } = ui;
    api.answer('/admin/me', { ...me, deployment: 0, deployments: [0, 1, 2] });
    const states = [0, 1, 2].map((number) => ({ number, isAnswering: number !== 2 }));
    api.answer('/admin/overview', { ...overview, deployment: 0, deployments: states });
    await using opened = await ui.open('/queues');
    const { page } = opened;
    const choice = page.getByRole('navigation', { name: 'Pages' }).getByLabel('Deployment');
    await page.getByRole('option', { name: '2 (no answer)' }).waitFor({ state: 'attached' });
    expect(await choice.inputValue()).toBe('0');
    await ui.asked({ path: '/admin/agents', query: { deployment: '0' } });
    await choice.selectOption('1');
    await ui.asked({ path: '/admin/agents', query: { deployment: '1' } });
    await page.getByRole('heading', { level: 1, name: 'Queues' }).waitFor();
    expect(await choice.inputValue()).toBe('1');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  it("searches the context of a task in the task's deployment, and says which one was searched", async () => {
    const { api } = ui;
    api.answer('/admin/me', { ...me, deployment: 0, deployments: [0, 1] });
    const { taskId, contextId } = taskDetail(0);
    api.answer(`/admin/tasks/${taskId}`, { ...taskDetail(0), deployment: 1 });
    await using opened = await ui.open(`/tasks/${taskId}`);
    const { page } = opened;
    await page.getByTitle('All tasks of the context in deployment 1').click();
    await page.getByText(/^\d+ in deployment 1$/).waitFor();
    const asked = api.requests.filter(({ path, query }) => path === '/admin/tasks' && query.contextId === contextId);
    expect(new Set(asked.map(({ query }) => query.deployment))).toEqual(new Set(['1']));
    api.answer('/admin/tasks', { tasks: [], totalSize: 0, nextPageToken: '', isPartial: false });
    await page.getByLabel('Search tasks').fill('state:failed');
    await page.getByText('No task of deployment 1 matches').waitFor();
  });

  it('has no choice if there is one', async () => {
    const { api } = ui;
    api.answer('/admin/me', me);
    await using opened = await ui.open('/queues');
    await opened.page.getByRole('heading', { level: 1, name: 'Queues' }).waitFor();
    expect(await opened.page.getByLabel('Deployment').count()).toBe(0);
  });
});
