import type { Task } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { begun } from '../../../tests/support/store/drive.ts';
import { twoGateways } from './support/bindings/two-gateways.ts';
import { get, submit, userMessage } from './support/client.ts';
import { asked, working } from './support/events.ts';

// A message for a task whose agent accepts none while it works. tests/wire/steering.test.ts has agents that do.

const gateways = twoGateways();

describe.each(gateways.bindings)('Over $name a message for a working task whose agent accepts none', ({ at }) => {
  it('is refused, by each way to send one, and accepted when the agent asks', async () => {
    const { stage } = gateways;
    const { id } = await submit(stage.url);
    const turn = await begun(stage.store, id, { whileWorking: 'reject' });
    await turn.publish(working('do not disturb'));
    const message = userMessage('more', { taskId: id });
    const params = { message, configuration: { returnImmediately: true } };
    for (const operation of ['SendMessage', 'SendStreamingMessage'])
      expect(await at(1).invoke({ operation, params })).toMatchObject({
        error: { reason: 'UNSUPPORTED_OPERATION', metadata: { taskId: id } },
      });
    const { body } = await get<Task>(`${stage.url}/tasks/${id}`);
    expect(body.history?.filter(({ role }) => role === 'ROLE_USER')).toHaveLength(1);
    await turn.publish(asked('what else?'));
    expect(await at(0).invoke({ operation: 'SendMessage', params })).toHaveProperty('result');
  });
});
