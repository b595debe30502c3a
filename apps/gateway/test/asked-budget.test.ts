import { usageUri } from '@switchyard/protocol';
import { expect, it } from 'vitest';
import { AgentsStage, asking, taskIn } from './support/message-extension.ts';

const used = new AgentsStage([{ id: 'desk' }]);

it.each(['message', 'request'] as const)(
  'a wrong budget in the metadata of a %s is refused, by its field',
  async (of) => {
    const where = of === 'message' ? 'message.metadata' : 'metadata';
    const wrong = [{ microUsd: 'lots' }, { microUsd: 0 }, { tokens: 1.5 }, { usd: 2 }, 'much', null];
    for (const { invoke } of used.bindings)
      for (const budget of wrong) {
        const params = asking(usageUri, { budget }, { of });
        expect(await invoke({ operation: 'SendMessage', params })).toMatchObject({
          error: { reason: 'INVALID_PARAMS', violations: [expect.stringContaining(`${where}["${usageUri}"].budget`)] },
        });
      }
  },
);

it('a right budget is accepted, and so is what another agent says of usage', async () => {
  for (const { invoke } of used.bindings)
    for (const hint of [{ budget: { microUsd: 1, tokens: 1 } }, { total: { calls: 1 } }]) {
      const outcome = await invoke({ operation: 'SendMessage', params: asking(usageUri, hint) });
      expect(taskIn(outcome).status.state).toBe('TASK_STATE_SUBMITTED');
    }
});
