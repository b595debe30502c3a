import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { taskDetail } from '../../../tests/support/stand-in-answers.ts';
import { hasBrowser } from './support/browser.ts';
import { useConsole } from './support/use-console.ts';

const taskId = '00000000-0000-4000-8000-000000000003';
const day = (daysAgo: number): string => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
const total = { inputTokens: 5_200_000, outputTokens: 610_000, calls: 321, unpricedCalls: 4, microUsd: 12_345_678 };
const usage = {
  by: 'agent',
  from: day(29),
  to: day(0),
  total,
  rows: [
    { name: 'researcher', ...total, microUsd: 12_000_000 },
    { name: 'pizza', inputTokens: 40_000, outputTokens: 9_000, calls: 12, microUsd: 345_678 },
  ],
  totalSize: 2,
  days: Array.from({ length: 20 }, (_, n) => ({ name: day(n), microUsd: 100_000 * ((n * 7) % 11) })),
};

describe.runIf(hasBrowser)('the page of usage', () => {
  const ui = useConsole();

  it('shows what agents have cost, with a chart of days, in every view', async () => {
    ui.api.answer('/admin/usage', usage);
    await ui.check('/usage', (page: Page) => page.getByRole('cell', { name: '12.00 USD' }).waitFor());
  });

  it('is in part on the page of each task that used models', async () => {
    const path = `/admin/tasks/${taskId}`;
    const own = [{ model: 'gpt-5-mini', ...total }];
    const calls = [{ taskId: 'd0c5f3aa-1', agent: 'kitchen', inputTokens: 5, microUsd: 1_200 }];
    ui.api.answer(path, { ...taskDetail(3), usage: { total, own, calls }, budget: { microUsd: 20_000_000 } });
    await ui.check(`/task/${taskId}`, (page: Page) => page.getByText('12.35 USD of 20.00 USD').waitFor());
  });

  it('sums by model when asked to', async () => {
    ui.api.answer('/admin/usage', { ...usage, by: 'model', rows: [{ name: 'gpt-5-mini', ...total }], totalSize: 1 });
    await using opened = await ui.open('/usage');
    await opened.page.getByRole('tab', { name: 'Models' }).click();
    await opened.page.getByRole('cell', { name: 'gpt-5-mini' }).waitFor();
    await ui.asked({ path: '/admin/usage', query: { by: 'model', from: day(29) } });
    expect(opened.problems).toEqual([]);
  });
});
