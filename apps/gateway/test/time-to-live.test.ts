import { Ops } from '@switchyard/operators';
import { scheduleUri, timeToLiveUri } from '@switchyard/protocol';
import { ScheduledTasks } from '@switchyard/schedules';
import { describe, expect, it } from 'vitest';
import { overRest } from './support/bindings/over-http.ts';
import { get } from './support/client.ts';
import { AgentsStage, asking, itAsksByMessage, taskIn } from './support/message-extension.ts';

const headers = { 'a2a-extensions': timeToLiveUri };
const DEFAULT_MS = 3_600_000;

const used = new AgentsStage([{ id: 'desk' }, { id: 'hasty', timeToLiveMs: DEFAULT_MS }]);
const beginByOf = async (taskId: string) => (await new Ops(used.stage.store).tasks.detail(taskId))?.beginBy;

/** Expects that the message of a task that was accepted since `since` has this time to live. */
async function expectTimeToLive(taskId: string, ttlMs: number, since: number): Promise<void> {
  const beginBy = Date.parse((await beginByOf(taskId)) ?? '');
  expect(beginBy).toBeGreaterThanOrEqual(since + ttlMs - 1_000);
  expect(beginBy).toBeLessThanOrEqual(Date.now() + ttlMs + 1_000);
}

describe('the time to live of a message', () => {
  itAsksByMessage({
    uri: timeToLiveUri,
    used,
    of: ['message', 'request'],
    right: [{ ttlMs: 600_000 }],
    wrong: [{ ttlMs: 0 }, { ttlMs: 604_800_001 }, { ttlMs: 1.5 }, { ttlMs: 'soon' }, {}, 30, { ttlMs: 1, more: 1 }],
    expectAsked: async (taskId, hint, since) => {
      if (hint) await expectTimeToLive(taskId, 600_000, since);
      else expect(await beginByOf(taskId)).toBeUndefined();
    },
  });

  it('ends without a worker: the caller who waits gets the rejected task, over every binding', async () => {
    const params = asking(timeToLiveUri, { ttlMs: 1 }, { returnImmediately: false });
    const outcomes = used.bindings.map(({ invoke }) => {
      const message = { ...params.message, messageId: crypto.randomUUID() };
      return invoke({ operation: 'SendMessage', params: { ...params, message }, headers });
    });
    for (const task of (await Promise.all(outcomes)).map(taskIn)) {
      expect(task.status.state).toBe('TASK_STATE_REJECTED');
      expect(task.status.message?.parts[0]?.text).toContain('No worker began to work on this message');
      expect(await new Ops(used.stage.store).agentQueues.stateOf('desk', task.id, 1)).toBe('unknown');
    }
  });

  it('ends for an answer without a worker: the task asks again', async () => {
    const { invoke } = overRest(used.url());
    const { id } = taskIn(
      await invoke({ operation: 'SendMessage', params: asking(timeToLiveUri, { ttlMs: 600_000 }), headers }),
    );
    const job = used.stage.store.turns.jobOf({ queue: 'desk', taskId: id, job: 1, started: 1, token: 'w:1' });
    const turn = await job.begin({ onCancel: () => undefined, onFenced: () => undefined });
    if (typeof turn === 'string') throw new Error(turn);
    await turn.publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true });
    const params = asking(timeToLiveUri, { ttlMs: 1 }, { returnImmediately: false, message: { taskId: id } });
    const task = taskIn(await invoke({ operation: 'SendMessage', params, headers }));
    expect(task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(task.status.message?.parts[0]?.text).toContain('it was rejected');
  });

  it('is that of the agent if no client names one, and is on its card', async () => {
    const since = Date.now();
    const { invoke } = overRest(used.url('hasty'));
    const { id } = taskIn(await invoke({ operation: 'SendMessage', params: asking(timeToLiveUri, undefined) }));
    await expectTimeToLive(id, DEFAULT_MS, since);
    const diagnosis = await new Ops(used.stage.store).tasks.diagnosis(id);
    expect(diagnosis?.text).toContain(`It is rejected if no worker has begun it by ${await beginByOf(id)}.`);
    const { body } = await get(`${used.url('hasty')}/.well-known/agent-card.json`);
    expect(body).toMatchObject({
      capabilities: {
        extensions: expect.arrayContaining([expect.objectContaining({ params: { defaultMs: DEFAULT_MS } })]),
      },
    });
  });

  it('of a scheduled message begins at its time', async () => {
    const both = { 'a2a-extensions': `${scheduleUri},${timeToLiveUri}` };
    const params = asking(timeToLiveUri, { ttlMs: 600_000 });
    const metadata = { ...params.message.metadata, [scheduleUri]: { at: '2000-01-01T00:00:00Z' } };
    const { invoke } = overRest(used.url());
    const scheduled = { ...params, message: { ...params.message, metadata } };
    const { id } = taskIn(await invoke({ operation: 'SendMessage', params: scheduled, headers: both }));
    expect(await beginByOf(id)).toBeUndefined();
    const since = Date.now();
    await new ScheduledTasks(used.stage.store.inside).begin();
    await expectTimeToLive(id, 600_000, since);
  });
});
