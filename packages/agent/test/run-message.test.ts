import { describe, expect, it } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { RetryableError } from '../src/index.ts';
import { runMessage } from '../src/testing/index.ts';

describe('a turn in a test', () => {
  it('returns the state, the answer, and the artifacts by name', async () => {
    const agent = agentThat(async (turn) => {
      await turn.artifact({ name: 'Report' }).finish('All is well');
      return turn.complete(`Hello, ${turn.text}`);
    });
    expect(await runMessage(agent, 'Ada')).toMatchObject({
      state: 'TASK_STATE_COMPLETED',
      answer: 'Hello, Ada',
      results: { Report: 'All is well' },
      task: { history: [{ role: 'ROLE_USER' }, { role: 'ROLE_AGENT' }] },
    });
  });

  it('is run by another worker when its own one dies, and steps are not made again', async () => {
    const made: string[] = [];
    const agent = agentThat(async (turn) => {
      const step = (name: string) => turn.step(name, async () => void made.push(name));
      await step('first');
      await turn.working('Half of it');
      await step('second');
      await turn.working('All of it');
      return turn.complete(`in attempt ${turn.attempt}`);
    });
    const { answer, task } = await runMessage(agent, 'Go', { crashesAfter: [1, 2] });
    expect(made).toEqual(['first', 'second']);
    expect(answer).toBe('in attempt 3');
    expect(task.history?.map(({ parts }) => parts[0]?.text)).toEqual(['Go', 'Half of it', 'All of it', 'in attempt 3']);
  });

  it('is over once its outcome is durable, also if the worker dies then', async () => {
    const agent = agentThat((turn) => turn.complete(`in attempt ${turn.attempt}`));
    expect((await runMessage(agent, 'Go', { crashesAfter: [1] })).answer).toBe('in attempt 1');
  });

  it('is tried again as often as it may', async () => {
    const agent = agentThat(async () => {
      throw new RetryableError('Busy.');
    });
    expect((await runMessage(agent, 'Go', { maxAttempts: 2 })).answer).toBe(
      'The agent gave up after 2 attempts: Busy.',
    );
  });
});
