import type { TimelineEntry } from '@switchyard/operator-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { task, taskDetail } from '../../../../tests/support/stand-in-answers.ts';
import { until } from '../../../../tests/support/until.ts';
import { hasBrowser } from '../support/browser.ts';
import { useConsole } from '../support/use-console.ts';

/** A picture, as base64. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Numbers of the stand-in's tasks, by their state. */
const numbers = { working: 0, waiting: 4, failed: 5, queued: 6 };
const idOf = (name: keyof typeof numbers): string => taskDetail(numbers[name]).taskId;

describe.runIf(hasBrowser)('the page of a task', () => {
  const ui = useConsole({ tasks: 20_000 });

  const at = (name: keyof typeof numbers, query = '') => `/tasks/${idOf(name)}${query}`;
  const lastBody = (path: string) => ui.api.requests.filter((each) => each.path === path).at(-1)?.body;

  it('is accessible when the task is stuck', () =>
    ui.check(at('queued'), (page) => page.getByText('No live worker runs').waitFor()));

  it('is accessible when the task waits for a person', () =>
    ui.check(at('waiting'), (page) => page.getByLabel('Your answer').waitFor()));

  it('is accessible as JSON', () =>
    ui.check(at('failed', '?view=json'), (page) => page.getByText('"messagesAccepted"').waitFor()));

  it('is reached by its old address, too', async () => {
    await using opened = await ui.open(`/task/${idOf('failed')}?view=json`);
    await opened.page.getByText('"messagesAccepted"').waitFor();
    await opened.page.waitForURL(`${ui.api.url}/console${at('failed', '?view=json')}`);
    expect(opened.problems).toEqual([]);
  });

  it('says that the task does not exist', async () => {
    const nobody = '00000000-0000-4000-8000-ffffffffffff';
    await using opened = await ui.open(`/tasks/${nobody}`);
    await opened.page.getByText('There is no such task').waitFor();
    expect(await opened.page.getByText('Not live').count()).toBe(0);
    // Chromium logs the 404.
    await expect.poll(() => opened.problems).toEqual([expect.stringContaining('404')]);
  });

  it('answers for the client', async () => {
    await using opened = await ui.open(at('waiting'));
    const { page } = opened;
    await page.getByLabel('Your answer').fill('A large one');
    await page.getByRole('button', { name: 'Answer' }).last().click();
    const { body } = await ui.asked({ path: `/admin/tasks/${idOf('waiting')}:answer` });
    expect(body).toMatchObject({ parts: [{ text: 'A large one' }] });
    expect(opened.problems).toEqual([]);
  });

  describe('of a suspended turn', () => {
    const detail = taskDetail(8);
    const path = `/admin/tasks/${detail.taskId}`;
    const suspended = `/tasks/${detail.taskId}`;
    const twoHoursAgo = new Date(Date.now() - 7_200_000).toISOString();

    beforeAll(() => {
      const entries: TimelineEntry[] = [
        { kind: 'wait', at: twoHoursAgo, epoch: 2, what: 'event', name: 'payment' },
        { kind: 'event', at: twoHoursAgo, epoch: 2, name: 'approval' },
        { kind: 'queued', at: twoHoursAgo, beginBy: '2030-01-01T00:00:00.000Z', priority: 'high' },
        { kind: 'late', at: twoHoursAgo, beginBy: '2026-01-01T00:00:00.000Z' },
      ];
      ui.api.answer(path, {
        ...detail,
        openTurn: 0,
        waits: [{ event: 'payment' }],
        priority: 'high',
        beginBy: '2030-01-01T00:00:00.000Z',
        diagnosis: {
          finding: 'suspended',
          isStuck: false,
          text: 'The turn waits for the event "payment". It holds no worker.',
          since: twoHoursAgo,
          see: [],
          actions: ['give-event', 'wait', 'cancel'],
        },
        timeline: detail.timeline && { ...detail.timeline, entries: [...detail.timeline.entries, ...entries] },
      });
      ui.api.answer(`${path}:event`, { event: 'payment', state: 'taken' });
    });

    it('is accessible', () => ui.check(suspended, (shown) => shown.getByLabel('Data of payment, as JSON').waitFor()));

    it('says since when it waits for which event, and gives it', async () => {
      await using opened = await ui.open(suspended);
      const { page } = opened;
      const finding = page.getByRole('region', { name: 'Why it is where it is' });
      await finding.getByRole('heading', { name: 'Waits for payment' }).waitFor();
      await finding.getByText('for 2 h').waitFor();
      await page.locator('.timeline').getByText('Waits for payment').waitFor();
      await page.locator('.timeline').getByText('Event approval').waitFor();
      await page
        .locator('.timeline')
        .getByText(/high priority, waits until .* 2030/)
        .waitFor();
      const facts = page.locator('.task-facts');
      expect(await facts.textContent()).toMatch(/Priorityhigh.*Rejected unless begun by.* 2030/);
      await finding.getByRole('button', { name: 'Give it' }).click();
      const data = page.getByLabel('Data of payment, as JSON');
      await page.waitForFunction("document.activeElement?.id === 'event'");
      await data.fill('{"amount":');
      await page.getByRole('button', { name: 'Give payment' }).click();
      await page.getByText('The data are not JSON').waitFor();
      expect(lastBody(`${path}:event`)).toBeUndefined();
      await data.fill('{"amount":5}');
      await page.getByRole('button', { name: 'Give payment' }).click();
      await page.getByText('payment: the task goes on').waitFor();
      expect(lastBody(`${path}:event`)).toEqual({ name: 'payment', data: { amount: 5 }, id: expect.any(String) });
      expect(opened.problems).toEqual([]);
    });
  });

  it('runs a task again from a step, with another message, and opens the new task', async () => {
    await using opened = await ui.open(at('failed'));
    const { page } = opened;
    await page.getByRole('button', { name: 'Run again' }).first().click();
    await page.getByLabel('From').selectOption('price');
    await page.getByText('Remembered, not run again: menu').waitFor();
    await page.getByLabel('Message', { exact: true }).fill('Go slowly');
    await page.getByRole('dialog').getByRole('button', { name: 'Run again' }).click();
    await page.waitForURL((url) => !url.pathname.includes(idOf('failed')));
    await page.getByRole('button', { name: 'What kitchen did' }).waitFor();
    expect(lastBody(`/admin/tasks/${idOf('failed')}:rerun`)).toMatchObject({
      fromStep: 'price',
      parts: [{ text: 'Go slowly' }],
    });
    expect(opened.problems).toEqual([]);
  });

  it('shows the timeline of a called task', async () => {
    await using opened = await ui.open(at('working'));
    const { page } = opened;
    const lines = page.locator('.timeline li');
    const before = await until(() => lines.count(), { what: 'the timeline is shown' });
    await page.getByRole('button', { name: 'What kitchen did' }).click();
    await until(async () => (await lines.count()) > before, { what: 'there are lines of the called task' });
  });

  it('says at the top why the task failed, where, and what to do', async () => {
    await using opened = await ui.open(at('failed'));
    const finding = opened.page.getByRole('region', { name: 'Why it is where it is' });
    await finding.getByRole('heading', { name: 'Failed, in attempt 2' }).waitFor();
    await finding.getByText('agents/pizza.ts:41:11').waitFor();
    await finding.getByText('throw new OvenError').waitFor();
    await finding.getByText(/Mend agents\/pizza\.ts:41\. Then /).waitFor();
    expect(await finding.getByText(/threw The oven is cold/).count()).toBe(1);
    expect(opened.problems).toEqual([]);
  });

  it('says why the last attempt failed, with the author’s line first, and opens every line by keyboard', async () => {
    await using opened = await ui.open(at('failed'));
    const { page } = opened;
    const timeline = page.locator('.timeline');
    await timeline.getByText('agents/pizza.ts:41:11').first().waitFor();
    await timeline.getByText('throw new OvenError').waitFor();
    await timeline.getByText('connect ECONNREFUSED').waitFor();
    await timeline.getByText('req-7c1d').waitFor();
    expect(await page.title()).toContain('Failed: ');
    await page.getByRole('button', { name: 'Details of menu' }).first().focus();
    await page.keyboard.press('Enter');
    await timeline.getByText('It ran in attempt 1.').waitFor();
    await timeline.getByText('{"pizzas":["Hawaiian","Margherita"]}').waitFor();
    await page.getByRole('button', { name: 'Details of gpt-5-mini' }).click();
    await timeline.getByText('tool_calls').last().waitFor();
    await page.getByText('HTTP 503').waitFor();
    await page.getByText('<h1>Service Unavailable</h1>').waitFor();
    expect(opened.problems).toEqual([]);
  });

  it('is accessible when the task has failed', () =>
    ui.check(at('failed'), (page) => page.getByText('throw new OvenError').first().waitFor()));

  it('cancels the task', async () => {
    await using opened = await ui.open(at('working'));
    await opened.page.getByRole('button', { name: 'Cancel' }).click();
    await ui.asked({ path: `/admin/tasks/${idOf('working')}:cancel` });
  });

  it('shows a picture that is stored outside of the task, and reads another file when somebody asks', async () => {
    const [picture, film] = [`r${'a'.repeat(32)}-2s`, `${'b'.repeat(32)}-1z141z`];
    const parts = [
      { url: `https://agents.example.com/files/${picture}`, filename: 'dot.png', mediaType: 'image/png' },
      { url: `https://agents.example.com/files/${film}`, filename: 'film.mp4', mediaType: 'video/mp4' },
    ];
    const stored = { ...task(numbers.working), artifacts: [{ artifactId: 'stored', name: 'Stored', parts }] };
    ui.api.send(`/admin/tasks/${idOf('working')}/events`, { task: stored });
    await using opened = await ui.open(at('queued'));
    const { page } = opened;
    const asked: string[] = [];
    const files = '**/admin/tasks/*/files/*';
    await page.route(files, async (route) => {
      const id = new URL(route.request().url()).pathname.split('/').at(-1) ?? '';
      asked.push(id);
      if (id === picture) await route.fulfill({ body: Buffer.from(pixel, 'base64'), contentType: 'image/png' });
      else await route.fulfill({ status: 404, json: { error: { code: 404, message: 'There is no such file' } } });
    });
    await page.goto(`${ui.api.url}/console${at('working')}`);
    await page.getByRole('img', { name: 'dot.png' }).waitFor();
    await page.getByText('video/mp4 · 119.3 MB').waitFor();
    expect(asked).toEqual([picture]);
    await page.getByRole('button', { name: 'Read film.mp4' }).click();
    await page.getByText('There is no such file').waitFor();
    // Chromium logs the 404.
    await expect.poll(() => opened.problems).toEqual([expect.stringContaining('404')]);
    await page.unroute(files);
  });

  it('shows every kind of content, and renders no HTML of it', async () => {
    const path = `/admin/tasks/${idOf('working')}/events`;
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" onload="window.top.hasRun=1"><script>top.hasRun=1</script></svg>';
    const html = '<script>top.hasRun=1</script>';
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const parts = [
      { raw: base64(svg), filename: 'drawn.svg', mediaType: 'image/svg+xml' },
      { raw: base64(html), filename: 'page.html', mediaType: 'text/html' },
      { url: 'javascript:top.hasRun=1', filename: 'a link' },
      { url: 'data:text/html,<script>top.hasRun=1</script>', filename: 'another link' },
      { text: 'plain <b>words</b>' },
      {
        text: '# Title\n\n- [x] one\n- two <img src=x onerror=alert(1)>\n\n[a](javascript:alert(1)) | [b](https://example.com)\n\n```js\nlet a = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |',
        mediaType: 'text/markdown',
      },
      { data: { size: 'large', toppings: ['ham', 'pineapple'], price: 12.5, isHot: true, note: null } },
      { raw: pixel, filename: 'dot.png', mediaType: 'image/png' },
      { raw: 'aGVsbG8=', filename: 'hello.txt', mediaType: 'text/plain' },
      { url: 'https://example.com/menu.pdf', filename: 'menu.pdf' },
    ];
    const all = { ...task(numbers.working), artifacts: [{ artifactId: 'all', name: 'All of it', parts }] };
    ui.api.send(path, { task: all });
    await ui.check(at('working'), async (page) => {
      await page.getByRole('img', { name: 'dot.png' }).waitFor();
      await page.getByRole('img', { name: 'drawn.svg' }).waitFor();
      const file = page.getByRole('link', { name: 'page.html' });
      expect(await file.getAttribute('download')).toBe('page.html');
      expect(await file.getAttribute('href')).toMatch(/^blob:/);
      expect(await page.getByRole('link', { name: /^(a|another) link$/ }).count()).toBe(0);
      expect(await page.evaluate('window.hasRun')).toBeUndefined();
      await page.getByText('plain <b>words</b>').waitFor();
      await page.getByText('<img src=x onerror=alert(1)>').waitFor();
      expect(await page.getByRole('link', { name: 'a', exact: true }).count()).toBe(0);
      expect(await page.getByRole('link', { name: 'b', exact: true }).getAttribute('rel')).toContain('noreferrer');
    });
  });
});
