import { setInterval } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { task } from '../../../../tests/support/stand-in-answers.ts';
import { patience, until } from '../../../../tests/support/until.ts';
import { hasBrowser } from '../support/browser.ts';
import { useConsole } from '../support/use-console.ts';

const chunks = 5_000;
const perSecond = 1_000;
const everyMs = 20;
const { id: taskId, contextId = '', ...blank } = task(0);
const path = `/admin/tasks/${taskId}/events`;

/** Number of lines of the artifact that the page shows. */
const shownLines = (page: Page): Promise<number> =>
  page.evaluate(`document.querySelector('.artifact .growing-text')?.textContent.split('\\n').length - 1 || 0`);

describe.runIf(hasBrowser)('an artifact of 5,000 chunks', () => {
  const ui = useConsole();

  it('is shown at most a second after each chunk', async () => {
    ui.api.send(path, { task: { id: taskId, contextId, ...blank, artifacts: [] } });
    await using opened = await ui.open(`/tasks/${taskId}`);
    const { page } = opened;
    await page.getByText('None yet.').waitFor();
    const sentAt: number[] = [];
    let mostBehindMs = 0;
    const measure = async (): Promise<void> => {
      const askedAt = Date.now();
      const next = sentAt[await shownLines(page)];
      if (next !== undefined) mostBehindMs = Math.max(mostBehindMs, askedAt - next);
    };
    let measuring = Promise.resolve();
    for await (const _ of setInterval(everyMs)) {
      for (let i = 0; i < (perSecond * everyMs) / 1_000; i++) {
        const artifact = { artifactId: 'page', name: 'Page', parts: [{ text: `line ${sentAt.length + 1} of it\n` }] };
        ui.api.send(path, { artifactUpdate: { taskId, contextId, append: sentAt.length > 0, artifact } });
        sentAt.push(Date.now());
      }
      if (sentAt.length % 500 === 0) measuring = measuring.then(measure);
      if (sentAt.length >= chunks) break;
    }
    await measuring;
    await until(async () => (await shownLines(page)) === chunks, { what: 'all of it is shown', timeoutMs: 1_000 });
    expect(mostBehindMs).toBeLessThanOrEqual(1_000 * patience);
    expect(opened.problems).toEqual([]);
  });
});
