import { Ops } from '@switchyard/operators';
import { priorityUri } from '@switchyard/protocol';
import { ScheduledTasks } from '@switchyard/schedules';
import { beforeAll, describe, expect, it } from 'vitest';
import { overRest } from './support/bindings/over-http.ts';
import { call, get } from './support/client.ts';
import { AgentsStage, asking, itAsksByMessage, taskIn } from './support/message-extension.ts';

const alice = { 'x-api-key': 'key-of-alice-0123456789' };
const bob = { 'x-api-key': 'key-of-bob-0123456789ab' };
const headers = { 'a2a-extensions': priorityUri };

const used = new AgentsStage([{ id: 'desk' }, { id: 'slow', priority: 'low' }]);
let locked: string;

beforeAll(async () => {
  const of = (key: string, subject: string, scopes: string[]) => ({ key, subject, tenant: 'default', scopes });
  const keys = [of(alice['x-api-key'], 'alice', ['send']), of(bob['x-api-key'], 'bob', ['send', 'priority'])];
  locked = await used.stage.another({ auth: { keys } });
});

const priorityOf = async (taskId: string) => (await new Ops(used.stage.store).tasks.detail(taskId))?.priority;

describe('the priority of a message', () => {
  itAsksByMessage({
    uri: priorityUri,
    used,
    of: ['message', 'request'],
    right: [{ priority: 'low' }, { priority: 'high' }, { priority: 'normal' }],
    wrong: [{ priority: 'urgent' }, { priority: 1 }, {}, 'high', { priority: 'low', more: 1 }],
    expectAsked: async (taskId, hint) => {
      const { priority = 'normal' } = { ...hint } as { priority?: string };
      expect((await priorityOf(taskId)) ?? 'normal').toBe(priority);
    },
  });

  it('needs the scope only if it is higher than that of the agent', async () => {
    const send = (agent: string, priority: string, who: Record<string, string>) =>
      overRest(`${locked}/agents/${agent}`).invoke({
        operation: 'SendMessage',
        params: asking(priorityUri, { priority }),
        headers: { ...headers, ...who },
      });
    for (const [agent, priority] of [
      ['desk', 'high'],
      ['slow', 'normal'],
      ['slow', 'high'],
    ] as const) {
      expect(await send(agent, priority, alice)).toMatchObject({ error: { reason: 'PERMISSION_DENIED' } });
      expect(await send(agent, priority, bob)).toHaveProperty('result');
    }
    expect(await send('desk', 'low', alice)).toHaveProperty('result');
    expect(await send('desk', 'normal', alice)).toHaveProperty('result');
    const { body } = await call(`${locked}/agents/desk`, 'SendMessage', asking(priorityUri, { priority: 'high' }), {
      ...headers,
      ...alice,
    });
    expect(JSON.stringify(body)).toContain('Not allowed without the scope priority');
  });

  it('is that of the agent if no client names one, and is on its card', async () => {
    const { invoke } = overRest(used.url('slow'));
    const { id } = taskIn(await invoke({ operation: 'SendMessage', params: asking(priorityUri, undefined) }));
    expect(await priorityOf(id)).toBe('low');
    expect((await new Ops(used.stage.store).tasks.diagnosis(id))?.text).toContain('low priority');
    const { body } = await get(`${used.url('slow')}/.well-known/agent-card.json`);
    expect(body).toMatchObject({
      capabilities: { extensions: expect.arrayContaining([expect.objectContaining({ params: { default: 'low' } })]) },
    });
  });

  it('holds for a scheduled message', async () => {
    const scheduleUri = 'https://switchyard.dev/a2a/extensions/schedule/v1';
    const both = { 'a2a-extensions': `${scheduleUri},${priorityUri}` };
    const params = asking(priorityUri, { priority: 'low' });
    const metadata = { ...params.message.metadata, [scheduleUri]: { at: '2000-01-01T00:00:00Z' } };
    const { invoke } = overRest(used.url());
    const scheduled = { ...params, message: { ...params.message, metadata } };
    const { id } = taskIn(await invoke({ operation: 'SendMessage', params: scheduled, headers: both }));
    await new ScheduledTasks(used.stage.store.inside).begin();
    expect(await new Ops(used.stage.store).agentQueues.stateOf('desk', id, 1)).toBe('waiting');
    expect(await priorityOf(id)).toBe('low');
  });
});
