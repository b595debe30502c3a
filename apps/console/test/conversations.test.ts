import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consolePage } from '../../../tests/support/console-page.ts';
import { conversation, conversations } from '../../../tests/support/stand-in-answers.ts';
import { openStandInApi, type StandInApi } from '../../../tests/support/stand-in-api.ts';
import { hasBrowser, openBrowser, openPage } from './support/browser.ts';
import { checkPage } from './support/check-page.ts';

describe.runIf(hasBrowser)('the page of conversations', () => {
  let browser: Browser;
  let api: StandInApi;

  beforeAll(async () => {
    browser = await openBrowser();
    api = await openStandInApi({ page: await consolePage() });
  });

  afterAll(async () => {
    await browser?.close();
    await api?.[Symbol.asyncDispose]();
  });

  const at = (path: string) => ({ url: api.url, key: api.key, path });
  const [open] = conversations.filter(({ state }) => state === 'open');
  const [ended] = conversations.filter(({ state }) => state === 'complete');

  it('can be read by everyone', () =>
    checkPage(browser, {
      ...at(`/conversations/${ended?.conversationId}`),
      ready: (page) => page.getByText('took longer than').waitFor(),
    }));

  it('shows what two agents say, as they say it', async () => {
    if (!open) throw new Error('the stand-in has no open conversation');
    await using opened = await openPage(browser, at('/conversations'));
    const { page } = opened;
    await page.getByText(`${open.fromAgent} ⇄ ${open.toAgent}`).first().waitFor();
    await page.keyboard.press('j');
    await page.getByText('Turn 2').waitFor();
    const now = conversation(open);
    const [, last] = now.events;
    const event = { ...last, seq: 4, phase: 'turn', turn: 3, maxTurns: 6, text: 'It is closed **now**.' };
    const path = `/admin/conversations/${open.conversationId}`;
    api.answer(path, { ...now, lastSeq: 4, events: [...now.events, event] });
    await page.getByText('It is closed now.').waitFor();
    expect(await page.getByRole('link', { name: 'Task that holds it' }).getAttribute('href')).toContain(open.taskId);
    expect(opened.problems).toEqual([]);
  });
});
