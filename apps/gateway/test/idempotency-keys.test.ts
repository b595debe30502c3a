import { randomUUID } from 'node:crypto';
import type { Task } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import type { Invocation, Outcome } from './support/bindings/outcome.ts';
import { twoGateways } from './support/bindings/two-gateways.ts';
import { get, submit, userMessage } from './support/client.ts';
import { canceled, completed } from './support/events.ts';

// A request is repeated with its Idempotency-Key at another gateway, over every binding.

const conflict = { error: { reason: 'CONFLICT', violations: ['Idempotency-Key'] } };

function resultOf<Result>(outcome: Outcome): Result {
  if ('error' in outcome) throw new Error(outcome.error.message, { cause: outcome.error });
  return outcome.result as Result;
}

// With several shards, the tasks and contexts of a test are on different ones.
describe.each([1, 5])('On %i shards', (shards) => {
  const gateways = twoGateways({ shards });

  describe.each(gateways.bindings)('With an Idempotency-Key over $name', ({ at }) => {
    const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });
    const send = (message: object) => ({
      operation: 'SendMessage',
      params: { message, configuration: { returnImmediately: true } },
    });

    it('a message creates one task, also if its retry has another messageId', async () => {
      const [contextId, key] = [randomUUID(), randomUUID()];
      const first = await at(0).invoke({ ...send(userMessage('once', { contextId })), ...keyed(key) });
      const again = await at(1).invoke({ ...send(userMessage('once', { contextId })), ...keyed(`"${key}"`) });
      const [one, other] = [resultOf<{ task: Task }>(first), resultOf<{ task: Task }>(again)];
      expect(other.task.id).toBe(one.task.id);
      expect(other.task.history).toHaveLength(1);
      const { body } = await get<{ tasks: unknown[] }>(`${gateways.stage.url}/tasks?contextId=${contextId}`);
      expect(body.tasks).toHaveLength(1);
    });

    it('another message with the same key gets a conflict, the same message with another key is new', async () => {
      const key = randomUUID();
      const { task } = resultOf<{ task: Task }>(await at(0).invoke({ ...send(userMessage('one')), ...keyed(key) }));
      expect(await at(1).invoke({ ...send(userMessage('two')), ...keyed(key) })).toMatchObject(conflict);
      const message = userMessage('more', { taskId: task.id });
      resultOf(await at(1).invoke({ ...send(message), ...keyed(randomUUID()) }));
      // Retries are recognised by the key, not by the messageId.
      const { task: later } = resultOf<{ task: Task }>(
        await at(0).invoke({ ...send(message), ...keyed(randomUUID()) }),
      );
      expect(later.history).toHaveLength(3);
    });

    it('a cancel is repeated safely, and another request with its key gets a conflict', async () => {
      const [{ id }, key] = [await submit(gateways.stage.url), randomUUID()];
      const cancel = { operation: 'CancelTask', params: { id }, ...keyed(key) };
      for (const gateway of [0, 1])
        expect(resultOf<Task>(await at(gateway).invoke(cancel)).status.state).toBe('TASK_STATE_CANCELED');
      const other = { operation: 'DeleteTaskPushNotificationConfig', params: { taskId: id, id: 'x' }, ...keyed(key) };
      expect(await at(0).invoke(other)).toMatchObject(conflict);
    });

    it('a refused request does not use up its key', async () => {
      const [{ id }, key] = [await submit(gateways.stage.url), randomUUID()];
      const turn = await gateways.stage.beginTurn(id);
      await turn.publish(completed());
      const cancel = { operation: 'CancelTask', params: { id }, ...keyed(key) };
      expect(await at(0).invoke(cancel)).toMatchObject({ error: { reason: 'TASK_NOT_CANCELABLE' } });
      const config = { taskId: id, url: 'https://example.com/hook' };
      resultOf(await at(1).invoke({ operation: 'CreateTaskPushNotificationConfig', params: config, ...keyed(key) }));
    });

    it('a push config without an id is created once, and deleted once', async () => {
      const [{ id: taskId }, key] = [await submit(gateways.stage.url), randomUUID()];
      const params = { taskId, url: 'https://example.com/hook' };
      const create = { operation: 'CreateTaskPushNotificationConfig', params, ...keyed(key) };
      const made = resultOf<{ id: string }>(await at(0).invoke(create));
      expect(resultOf(await at(1).invoke(create))).toEqual(made);
      const other = { ...create, params: { ...params, url: 'https://example.com/other' } };
      expect(await at(0).invoke(other)).toMatchObject(conflict);
      const { body } = await get<{ configs: unknown[] }>(
        `${gateways.stage.url}/tasks/${taskId}/pushNotificationConfigs`,
      );
      expect(body.configs).toHaveLength(1);
      const remove = { operation: 'DeleteTaskPushNotificationConfig', params: { taskId, id: made.id } };
      for (const gateway of [0, 1]) resultOf(await at(gateway).invoke({ ...remove, ...keyed(`delete ${key}`) }));
    });

    it('a key that is too long is named in the error', async () => {
      const outcome = await at(0).invoke({ ...send(userMessage('x')), ...keyed('x'.repeat(256)) });
      expect(outcome).toMatchObject({ error: { violations: ['Idempotency-Key'] } });
    });

    it('a retry during the first request gets the same answer', async () => {
      const [contextId, key] = [randomUUID(), randomUUID()];
      const invocation = { operation: 'SendMessage', params: { message: userMessage('once', { contextId }) } };
      const both = [0, 1].map((gateway) => at(gateway).invoke({ ...invocation, ...keyed(key) }));
      const turn = await gateways.stage.beginTurn(await gateways.stage.taskIn(contextId));
      await until(() => gateways.stage.store.feeds.size === 2, { what: 'both wait' });
      await turn.publish(completed('once'));
      const [one, other] = (await Promise.all(both)).map((outcome) => resultOf<{ task: Task }>(outcome).task);
      expect([one?.status.state, other?.id]).toEqual(['TASK_STATE_COMPLETED', one?.id]);
    });

    it('a repeated stream follows the same task', async () => {
      const [contextId, key] = [randomUUID(), randomUUID()];
      const params = { message: userMessage('once', { contextId }) };
      const streams = [0, 1].map((gateway) =>
        at(gateway).invoke({ operation: 'SendStreamingMessage', params, ...keyed(key) }),
      );
      const turn = await gateways.stage.beginTurn(await gateways.stage.taskIn(contextId));
      await until(() => gateways.stage.store.feeds.size === 2, { what: 'both are followed' });
      await turn.publish(completed('once'));
      const [one, other] = (await Promise.all(streams)).map((outcome) => resultOf<{ task?: Task }[]>(outcome));
      expect(one?.[0]?.task?.id).toBe(turn.start.taskId);
      expect(other?.at(-1)).toEqual(one?.at(-1));
    });

    it('a repeated cancel is answered while the turn stops', async () => {
      const [{ id }, key] = [await submit(gateways.stage.url), randomUUID()];
      const turn = await gateways.stage.beginTurn(id);
      const cancel = { operation: 'CancelTask', params: { id }, ...keyed(key) };
      const both = [0, 1].map((gateway) => at(gateway).invoke(cancel));
      await until(() => gateways.stage.store.feeds.size === 2, { what: 'both wait' });
      await turn.publish(canceled);
      const states = (await Promise.all(both)).map((outcome) => resultOf<Task>(outcome).status.state);
      expect(states).toEqual(['TASK_STATE_CANCELED', 'TASK_STATE_CANCELED']);
    });

    it('the same request for another task or context gets a conflict, on whatever shard', async () => {
      const tasks = await Promise.all(Array.from({ length: 5 }, () => submit(gateways.stage.url)));
      const config = { url: 'https://example.com/hook' };
      const requests = (task: Task): readonly Invocation[] => [
        send(userMessage('same', { taskId: task.id })),
        send(userMessage('same', { contextId: task.contextId ?? '' })),
        { operation: 'CreateTaskPushNotificationConfig', params: { taskId: task.id, ...config } },
        { operation: 'DeleteTaskPushNotificationConfig', params: { taskId: task.id, id: 'x' } },
        { operation: 'CancelTask', params: { id: task.id } },
      ];
      for (const [i, request] of requests(tasks[0] as Task).entries()) {
        const key = randomUUID();
        const first = resultOf(await at(0).invoke({ ...request, ...keyed(key) }));
        expect(first).toBeDefined();
        const others = tasks.slice(1).map((task) => requests(task)[i] as Invocation);
        others.push(send(userMessage('same')), ...requests(tasks[0] as Task).filter((_, n) => n !== i));
        for (const other of others) expect(await at(1).invoke({ ...other, ...keyed(key) })).toMatchObject(conflict);
        // The first request is still known after the refusals.
        resultOf(await at(1).invoke({ ...request, ...keyed(key) }));
      }
    });

    it('a refused message does not use up its key for another task', async () => {
      for (let i = 0; i < 4; i++) {
        const [ended, live, key] = [await submit(gateways.stage.url), await submit(gateways.stage.url), randomUUID()];
        await (await gateways.stage.beginTurn(ended.id)).publish(completed());
        const refused = await at(0).invoke({ ...send(userMessage('x', { taskId: ended.id })), ...keyed(key) });
        expect(refused).toMatchObject({ error: { reason: 'UNSUPPORTED_OPERATION' } });
        resultOf(await at(1).invoke({ ...send(userMessage('x', { taskId: live.id })), ...keyed(key) }));
      }
    });
  });

  it('a task is deleted once: the retry gets the same answer, another request 404', async () => {
    const { id } = await submit(gateways.stage.url);
    const turn = await gateways.stage.beginTurn(id);
    await turn.publish(completed());
    const remove = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${gateways.stage.url}/tasks/${id}`, { method: 'DELETE', headers });
    const headers = { 'idempotency-key': 'remove it' };
    expect([(await remove(headers)).status, (await remove(headers)).status, (await remove({})).status]).toEqual([
      204, 204, 404,
    ]);
    const { id: other } = await submit(gateways.stage.url);
    await (await gateways.stage.beginTurn(other)).publish(completed());
    const kept = await fetch(`${gateways.stage.url}/tasks/${other}`, { method: 'DELETE', headers });
    expect([kept.status, (await get(`${gateways.stage.url}/tasks/${other}`)).status]).toEqual([409, 200]);
  });
});
