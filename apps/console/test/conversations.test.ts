import { describe, expect, it } from 'vitest';
import { conversation, conversations } from '../../../tests/support/stand-in-answers.ts';
import { hasBrowser } from './support/browser.ts';
import { useConsole } from './support/use-console.ts';

describe.runIf(hasBrowser)('the page of conversations', () => {
  const ui = useConsole();

  const [open] = conversations.filter(({ state }) => state === 'open');
  const [ended] = conversations.filter(({ state }) => state === 'complete');

  it('is accessible (WCAG AA)', () =>
    ui.check(`/conversations/${ended?.conversationId}`, (page) => page.getByText('took longer than').waitFor()));

  it('shows each turn of two agents as it is said', async () => {
    if (!open) throw new Error('the stand-in has no open conversation');
    await using opened = await ui.open('/conversations');
    const { page } = opened;
    await page.getByText(`${open.fromAgent} ⇄ ${open.toAgent}`).first().waitFor();
    await page.keyboard.press('j');
    await page.getByText('Turn 2').waitFor();
    const now = conversation(open);
    const [, last] = now.events;
    const event = { ...last, seq: 4, phase: 'turn', turn: 3, maxTurns: 6, text: 'It is closed **now**.' };
    const path = `/admin/conversations/${open.conversationId}`;
    ui.api.answer(path, { ...now, lastSeq: 4, events: [...now.events, event] });
    await page.getByText('It is closed now.').waitFor();
    expect(await page.getByRole('link', { name: 'Task that holds it' }).getAttribute('href')).toContain(open.taskId);
    expect(opened.problems).toEqual([]);
  });
});
