import { describe, expect, it } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { RetryableError } from '../src/index.ts';
import { Conversation } from '../src/testing/index.ts';

const curious = agentThat((turn) =>
  turn.history.length < 3 ? turn.requireInput('What kind?') : turn.complete(`One ${turn.text}`),
);

describe('a conversation in memory', () => {
  it('keeps one task and its history over the turns', async () => {
    const conversation = new Conversation(curious);
    const first = await conversation.say('A pizza');
    const second = await conversation.say('Hawaiian');
    expect([first.answer, second.answer]).toEqual(['What kind?', 'One Hawaiian']);
    expect(second.task.id).toBe(first.task.id);
    expect(second.task.history?.map(({ role, parts: [part] }) => [role, part?.text])).toEqual([
      ['ROLE_USER', 'A pizza'],
      ['ROLE_AGENT', 'What kind?'],
      ['ROLE_USER', 'Hawaiian'],
      ['ROLE_AGENT', 'One Hawaiian'],
    ]);
  });

  it('refuses a message to a task that has ended', async () => {
    const conversation = new Conversation(agentThat((turn) => turn.complete()));
    await conversation.say('Hello');
    await expect(conversation.say('Hello again')).rejects.toMatchObject({ code: 'UnsupportedOperation' });
  });

  it('runs a turn again until its attempts are spent', async () => {
    const stubborn = agentThat(async (turn) => {
      await turn.working(`Attempt ${turn.attempt}`);
      throw new RetryableError('Not yet.');
    });
    const { result, events, answer, task } = await new Conversation(stubborn, { maxAttempts: 2 }).say('Hello');
    expect(result.kind).toBe('failed');
    expect(answer).toBe('The agent gave up after 2 attempts: Not yet.');
    expect(events).toHaveLength(3);
    expect(task.history?.filter(({ role }) => role === 'ROLE_USER')).toHaveLength(1);
  });
});
