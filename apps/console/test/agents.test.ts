import { describe, expect, it } from 'vitest';
import { agents } from '../../../tests/support/stand-in-answers.ts';
import { hasBrowser, views } from './support/browser.ts';
import { useConsole } from './support/use-console.ts';

describe.runIf(hasBrowser)('the page of agents', () => {
  const ui = useConsole({ tasks: 10 });

  it('shows the state of each agent, and drains a worker', async () => {
    await using opened = await ui.open('/agents');
    const { page } = opened;
    await page.getByRole('link', { name: /Kitchen No worker/ }).waitFor();
    await page.getByRole('link', { name: /Researcher Paused/ }).waitFor();
    await page.getByTitle('Drain host-a-1f2e3d4c').click();
    await page.getByText('It finishes its turns, and starts no more').waitFor();
    await ui.asked({ method: 'POST', path: '/admin/workers/host-a-1f2e3d4c:drain' });
    expect(opened.problems).toEqual([]);
  });

  it('says why a remote agent cannot be used, also where the queues are', async () => {
    const text = 'The card of the remote agent at https://agents.example.com/almanac cannot be used: HTTP 404';
    const problem = { remoteProblem: { kind: 'bad-card', text, worker: 'host-a' } as const };
    const some = agents.map((each) => (each.id === 'pizza' ? { ...each, ...problem } : each));
    const answer = { agents: some, totalSize: some.length, nextPageToken: '' };
    ui.api.answer('/admin/agents', answer);
    await using opened = await ui.open('/agents');
    await opened.page.getByRole('link', { name: /Pizza Bad card .*agents\.example\.com\/almanac/ }).waitFor();
    await using queues = await ui.open('/queues');
    await queues.page.getByTitle(text).getByText('Bad card').waitFor();
    ui.api.answer('/admin/agents', { ...answer, agents });
  });

  it('shows the whole state of a worker within the width of a phone', async () => {
    await using opened = await ui.open('/agents', { view: 'phone' });
    const state = opened.page.locator('.workers .state', { hasText: 'Draining' });
    const box = await state.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(views.phone.width);
  });

  it('pauses an agent, and shows its skills and its card', async () => {
    await using opened = await ui.open('/agents/pizza');
    const { page } = opened;
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Messages are accepted, and wait').waitFor();
    await page.getByRole('tab', { name: 'About' }).click();
    await page.getByText('Does what it is asked').waitFor();
    await page.getByRole('tab', { name: 'Card' }).click();
    await page.getByText('"defaultInputModes"').waitFor();
    expect(opened.problems).toEqual([]);
  });

  it('asks for the workers of one agent alone: all of them may be more than a page', async () => {
    await using opened = await ui.open('/agents/pizza?tab=about');
    await opened.page.getByText('host-a-1f2e3d4c').waitFor();
    expect(await opened.page.getByText('host-b-5a6b7c8d').count()).toBe(0);
    for (const [path, query] of [
      ['/admin/agents', { id: 'pizza' }],
      ['/admin/workers', { agent: 'pizza', pageSize: '100' }],
    ])
      await expect.poll(() => ui.api.requests.findLast((each) => each.path === path)?.query).toEqual(query);
  });

  it('list is accessible (WCAG AA)', () =>
    ui.check('/agents', (page) => page.getByRole('link', { name: /Pizza/ }).waitFor()));

  it('form for a message is accessible', () =>
    ui.check('/agents/pizza', (page) => page.getByLabel('Message').waitFor()));

  it('tab about an agent is accessible', () =>
    ui.check('/agents/pizza?tab=about', (page) => page.getByText('Does what it is asked').waitFor()));

  it('begins with an example of the data that an agent works on, and shows which fields are wrong', async () => {
    const inputSchema = {
      type: 'object',
      properties: { size: { enum: ['small', 'large'] }, number: { type: 'integer', minimum: 2 }, note: {} },
      required: ['size', 'number'],
    };
    ui.api.answer('/admin/agents', { agents: [{ ...agents[2], inputSchema }], totalSize: 1, nextPageToken: '' });
    await ui.check('/agents/pizza', (page) => page.getByLabel('Data as JSON').waitFor());
    await using opened = await ui.open('/agents/pizza');
    const { page } = opened;
    const field = page.getByLabel('Data as JSON');
    await field.waitFor();
    expect(JSON.parse(await field.inputValue())).toEqual({ size: 'small', number: 2 });
    const refused = [{ field: 'message.parts[0].data.size', description: 'must be one of small, large' }];
    const error = { code: 400, message: 'Invalid parameters', details: [{ fieldViolations: refused }] };
    await page.route('**/message:stream*', (route) => route.fulfill({ status: 400, json: { error } }));
    await field.fill('{ "size": "huge", "number": 2 }');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('size must be one of small, large').waitFor();
    expect(await field.inputValue()).toBe('{ "size": "huge", "number": 2 }');
  });

  // Last: the other tests need the usual agents.
  it('tells how many agents are not on its page', async () => {
    ui.api.answer('/admin/agents', { agents: agents.slice(0, 2), totalSize: 1_002, nextPageToken: 'next' });
    await using opened = await ui.open('/agents');
    await opened.page.getByText('and 1,000 more, which are not shown').waitFor();
  });
});
