import { runTurn } from '@switchyard/agent/testing';
import { describe, expect, it } from 'vitest';
import echo from '../agent.ts';

const say = (text: string) => runTurn(echo, text);

describe('echo', () => {
  it('completes with the parts of the message', async () => {
    const parts = [{ text: 'Hello' }, { data: { a: 1 } }, { url: 'https://example.com/x' }];
    const { task } = await runTurn(echo, parts);
    expect(task.status).toMatchObject({ state: 'TASK_STATE_COMPLETED', message: { parts } });
  });

  it.each(['stream of thoughts', 'fail better', 'constructor', 'Ask', 'slow -1'])(
    'does not treat "%s" as a command',
    async (text) => {
      expect((await say(text)).answer).toBe(text);
    },
  );

  it('streams n chunks into one artifact', async () => {
    const { task, events } = await say('stream 3');
    expect(task.artifacts).toMatchObject([{ name: 'Stream', parts: [{ text: 'chunk 1\nchunk 2\nchunk 3\n' }] }]);
    expect(events.filter(({ artifactUpdate }) => artifactUpdate)).toHaveLength(4);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('works for n milliseconds', async () => {
    const { answer, events } = await say('slow 5');
    expect(answer).toBe('Done');
    expect(events.map(({ statusUpdate }) => statusUpdate?.status.state)).toEqual([
      'TASK_STATE_WORKING',
      'TASK_STATE_COMPLETED',
    ]);
  });

  it('stops working when it is canceled', async () => {
    const { state } = await runTurn(echo, 'slow 60000', { cancelAfter: 1 });
    expect(state).toBe('TASK_STATE_CANCELED');
  });

  it('succeeds at attempt n', async () => {
    expect((await say('retry 3')).answer).toBe('Done at attempt 3');
  });

  it('asks, and completes with the answer', async () => {
    const asked = await say('ask');
    expect([asked.state, asked.answer]).toEqual(['TASK_STATE_INPUT_REQUIRED', 'What shall I say?']);
    expect((await asked.say('This')).answer).toBe('This');
  });

  it('waits for an authorization, and continues with the next message', async () => {
    const asked = await say('auth');
    expect([asked.state, asked.result.kind]).toEqual(['TASK_STATE_AUTH_REQUIRED', 'waiting-for-auth']);
    expect((await asked.say('You may')).state).toBe('TASK_STATE_COMPLETED');
  });

  it.each([
    ['reject', 'TASK_STATE_REJECTED', 'Rejected, as you asked.'],
    ['fail', 'TASK_STATE_FAILED', 'Failed, as you asked.'],
    ['crash', 'TASK_STATE_FAILED', 'The agent failed unexpectedly.'],
    ['message', 'TASK_STATE_COMPLETED', 'A message, and no task'],
  ])('executes the command %s', async (word, state, text) => {
    const { task, answer } = await say(word);
    expect([task.status.state, answer]).toEqual([state, text]);
  });
});
