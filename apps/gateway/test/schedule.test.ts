import { Ops } from '@switchyard/operators';
import { scheduleUri, type Task } from '@switchyard/protocol';
import { ScheduledTasks } from '@switchyard/schedules';
import { describe, expect, it } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import type { Outcome } from './support/bindings/outcome.ts';
import { twoGateways } from './support/bindings/two-gateways.ts';
import { get, userMessage } from './support/client.ts';

// The extension of docs/extensions/schedule.md, over every binding and at two gateways.

const gateways = twoGateways({ maxScheduled: 60 });
const active = { 'a2a-extensions': scheduleUri };
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
const tomorrow = inMs(86_400_000);

const asking = (schedule: unknown, more: object = {}, headers: Record<string, string> = active) => ({
  operation: 'SendMessage',
  params: { message: userMessage('hello', { metadata: { [scheduleUri]: schedule }, ...more }) },
  headers,
});

function taskOf(outcome: Outcome): Task {
  if ('error' in outcome) throw new Error(outcome.error.message, { cause: outcome.error });
  return (outcome.result as { task: Task }).task;
}

const metadataOf = ({ metadata }: Task): object => Object(metadata?.[scheduleUri]);
const waiting = { metadata: { [scheduleUri]: expect.anything() }, status: { state: 'TASK_STATE_SUBMITTED' } };

describe.each(gateways.bindings)('Over $name a scheduled message', ({ at }) => {
  it('is answered at once with its task, also by a blocking call, and is visible at every gateway', async () => {
    const task = taskOf(await at(0).invoke(asking({ at: tomorrow })));
    expect(task).toMatchObject({ ...waiting, history: [{ parts: [{ text: 'hello' }] }] });
    expect(metadataOf(task)).toEqual({ at: tomorrow });
    const found = await at(1).invoke({ operation: 'GetTask', params: { id: task.id } });
    expect(found).toMatchObject({ result: { id: task.id, ...waiting } });
    const query = { contextId: task.contextId, status: 'TASK_STATE_SUBMITTED' };
    const list = await at(1).invoke({ operation: 'ListTasks', params: query });
    expect(list).toMatchObject({ result: { tasks: [{ id: task.id, ...waiting }] } });
  });

  it('starts when its time has come, and can be followed from the start', async () => {
    const { id } = taskOf(await at(0).invoke(asking({ at: inMs(300) })));
    const following = at(1).invoke({ operation: 'SubscribeToTask', params: { id } });
    await until(
      async () =>
        (await new ScheduledTasks(gateways.stage.store.inside).begin()).tasks.some(({ taskId }) => taskId === id),
      {
        what: 'it begins',
      },
    );
    const turn = await gateways.stage.beginTurn(id);
    await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
    const events = Object(await following).result as Record<string, { status: { state: string } }>[];
    const states = events.map((event) => Object.values(event)[0]?.status.state);
    expect([states[0], states.at(-1)]).toEqual(['TASK_STATE_SUBMITTED', 'TASK_STATE_COMPLETED']);
  });

  it('starts a stream with its task', async () => {
    const request = { ...asking({ at: tomorrow }), operation: 'SendStreamingMessage', mostEvents: 1 };
    expect(await at(0).invoke(request)).toMatchObject({ result: [{ task: waiting }] });
  });

  it('can be canceled, and accepts no other message', async () => {
    const { id } = taskOf(await at(0).invoke(asking({ cron: '0 9 * * MON-FRI', timeZone: 'Europe/Berlin' })));
    const more = userMessage('more', { taskId: id });
    const refused = await at(1).invoke({ operation: 'SendMessage', params: { message: more } });
    expect(refused).toMatchObject({ error: { reason: 'UNSUPPORTED_OPERATION' } });
    const canceled = await at(1).invoke({ operation: 'CancelTask', params: { id } });
    expect(canceled).toMatchObject({ result: { id, status: { state: 'TASK_STATE_CANCELED' } } });
  });

  it('gets the same task when it is repeated', async () => {
    const request = asking({ cron: '* * * * *', times: 2 });
    const first = taskOf(await at(0).invoke(request));
    expect(taskOf(await at(1).invoke(request))).toMatchObject({ id: first.id, metadata: first.metadata });
    expect(metadataOf(first)).toMatchObject({ cron: '* * * * *', times: 2 });
  });

  it('starts at once if the extension is not requested', async () => {
    const { params, operation } = asking({ at: tomorrow });
    const configuration = { returnImmediately: true };
    const task = taskOf(await at(0).invoke({ operation, params: { ...params, configuration } }));
    expect(task.metadata).toBeUndefined();
    expect((await gateways.stage.beginTurn(task.id)).start.taskId).toBe(task.id);
  });

  it.each([
    ['at', {}],
    ['at', { at: 'tomorrow' }],
    ['at', { at: tomorrow, cron: '0 9 * * *' }],
    ['at', { at: inMs(367 * 86_400_000) }],
    ['times', { at: tomorrow, times: 3 }],
    ['times', { cron: '0 9 * * *', times: 0 }],
    ['until', { cron: '0 9 * * *', until: '2020-01-01T00:00:00Z' }],
    ['until', { cron: '0 9 * * *', until: 'never' }],
    ['timeZone', { cron: '0 9 * * *', timeZone: 'Mars/Base' }],
    ['timezone', { cron: '0 9 * * *', timezone: 'Europe/Berlin' }],
    ['timezone', { cron: '0 9 * * *', timezone: 'Europe/Berlin', until: null }],
    ['cron', { cron: '' }],
    ['cron', { cron: '@daily' }],
    ['cron', { cron: '* * * *' }],
    ['cron', { cron: 'H 9 * * *' }],
    ['cron', { cron: '61 9 * * *' }],
    ['cron', { cron: '0 0 30 2 *' }],
    ['cron', { cron: '*/30 * * * * *' }],
    ['cron', { cron: `${'1,'.repeat(200)}1 * * * *` }],
  ])('is refused if %s is wrong: %j', async (field, schedule) => {
    expect(await at(0).invoke(asking(schedule))).toMatchObject({
      error: { violations: [`message.metadata["${scheduleUri}"].${field}`] },
    });
  });

  it('is refused with an unknown field, or for an existing task', async () => {
    expect(await at(0).invoke(asking({ at: tomorrow, timezone: 'UTC' }))).toHaveProperty('error');
    expect(await at(0).invoke(asking('tomorrow'))).toHaveProperty('error');
    const { id } = taskOf(await at(0).invoke(asking({ at: tomorrow })));
    const refused = await at(0).invoke(asking({ at: tomorrow }, { taskId: id }));
    expect(refused).toMatchObject({ error: { violations: ['message.taskId'] } });
  });
});

it('A cron expression of every four years is refused, one with names is not, and a principal has a limit', async () => {
  const [rest] = gateways.bindings;
  const send = (schedule: object) => rest?.at(0).invoke(asking(schedule));
  expect(await send({ cron: '0 0 29 feb *', until: '2027-01-01T00:00:00Z' })).toHaveProperty('error');
  expect(await send({ cron: '0 0 * MAR THU#1' })).toHaveProperty('result');
  let last: Outcome | undefined;
  for (let i = 0; i < 61 && !(last && 'error' in last); i++) last = await send({ at: tomorrow });
  expect(last).toMatchObject({ error: { reason: 'RATE_LIMITED', metadata: { limit: 'scheduled-tasks' } } });
});

it('A scheduled task is shown to operators', async () => {
  const [rest] = gateways.bindings;
  const list = await rest?.at(0).invoke({ operation: 'ListTasks', params: { status: 'TASK_STATE_SUBMITTED' } });
  const { tasks } = Object(list).result as { tasks: Task[] };
  const scheduled = tasks.find((task) => Object(metadataOf(task)).at === tomorrow);
  const detail = await new Ops(gateways.stage.store).tasks.detail(scheduled?.id ?? '');
  const text = `The task is scheduled for ${tomorrow}.`;
  const found = await new Ops(gateways.stage.store).searchTasks({ pageSize: 100, hasText: false, id: scheduled?.id });
  expect(found.tasks).toMatchObject([{ taskId: scheduled?.id, scheduledFor: tomorrow }]);
  expect(detail?.diagnosis).toMatchObject({ finding: 'scheduled', isStuck: false, text, actions: ['wait', 'cancel'] });
  expect((await get(`${gateways.urlOf(0)}/tasks/${scheduled?.id}`)).status).toBe(200);
});
