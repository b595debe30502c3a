import { describe, expect, it } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import {
  AgentError,
  BudgetSpent,
  type Execute,
  RetryableError,
  type TurnFailure,
  TurnMisuseError,
} from '../src/index.ts';
import { runTurn } from '../src/testing/index.ts';

const untyped = (execute: (turn: never) => unknown) => execute as Execute;

describe('onFailure', () => {
  it.each<[string, Execute, Partial<TurnFailure>]>([
    [
      'a plain error',
      () => {
        throw new Error('no dough');
      },
      {
        kind: 'threw',
        error: expect.objectContaining({ message: 'no dough' }),
        text: 'The agent failed unexpectedly.',
      },
    ],
    ['an AgentError', () => Promise.reject(new AgentError('Sold out.')), { kind: 'ended-by-agent', text: 'Sold out.' }],
    [
      'a spent budget',
      () => Promise.reject(new BudgetSpent({ text: 'Spent: 2 USD.', asks: false })),
      { kind: 'budget-spent', text: 'Spent: 2 USD.' },
    ],
    [
      'the last attempt',
      () => Promise.reject(new RetryableError('busy')),
      { kind: 'retry-asked', text: 'The agent gave up after 2 attempts: busy' },
    ],
    ['no outcome', untyped(() => undefined), { kind: 'misuse', text: 'The agent ended its turn without an outcome.' }],
    [
      'a timeout',
      (turn) => new Promise((_, reject) => turn.signal.addEventListener('abort', () => reject(turn.signal.reason))),
      { kind: 'timed-out', text: 'The agent did not finish within 0.02 s.' },
    ],
    ['a timeout that it does not heed', () => new Promise(() => undefined), { kind: 'timed-out' }],
  ])('is called once after %s, and publishes before the task fails', async (_, execute, expected) => {
    const failures: TurnFailure[] = [];
    const agent = agentThat(execute, {
      turnTimeoutMs: 20,
      onFailure: async (turn, failure) => {
        failures.push(failure);
        await turn.working('Cleaning up');
        await turn.artifact({ name: 'Post-mortem' }).finish(failure.text);
      },
    });
    const { state, task, results } = await runTurn(agent, 'Go', { maxAttempts: 2, graceMs: 20 });
    expect(state).toBe('TASK_STATE_FAILED');
    expect(failures).toEqual([expect.objectContaining(expected)]);
    const [failure] = failures;
    expect(results).toEqual({ 'Post-mortem': failure?.text });
    expect(task.history?.map(({ parts }) => parts[0]?.text)).toEqual(['Go', 'Cleaning up', failure?.text]);
  });

  it.each<[string, Execute]>([
    ['completes', (turn) => turn.complete()],
    ['fails the task itself', (turn) => turn.fail('Sold out.')],
    ['rejects the task', (turn) => turn.reject('Not ours.')],
  ])('is not called if the agent %s', async (_, execute) => {
    let calls = 0;
    await runTurn(agentThat(execute, { onFailure: () => void calls++ }), 'Go');
    expect(calls).toBe(0);
  });

  it('is not called if the task is canceled', async () => {
    let calls = 0;
    const execute: Execute = async (turn) => {
      await turn.working();
      throw new Error('late');
    };
    await runTurn(agentThat(execute, { onFailure: () => void calls++ }), 'Go', { cancelAfter: 1 });
    expect(calls).toBe(0);
  });

  it('cannot change the outcome, and what it throws is only logged', async () => {
    const thrown: unknown[] = [];
    const agent = agentThat(() => Promise.reject(new Error('no dough')), {
      onFailure: async (turn) => {
        for (const outcome of [() => turn.complete('All is well'), () => turn.requireAuth('Log in')])
          await outcome().catch((error: unknown) => thrown.push(error));
        throw new Error('worse');
      },
    });
    const { state, answer, log } = await runTurn(agent, 'Go');
    expect([state, answer]).toEqual(['TASK_STATE_FAILED', 'The agent failed unexpectedly.']);
    expect(thrown).toEqual([expect.any(TurnMisuseError), expect.any(TurnMisuseError)]);
    expect(log).toMatchObject([{ level: 'error', fields: { error: { message: 'worse' } } }]);
  });

  it('that does not end is waited for as long as an executor that was interrupted', async () => {
    const agent = agentThat(() => Promise.reject(new Error('no dough')), {
      onFailure: () => new Promise(() => undefined),
    });
    const { state, log } = await runTurn(agent, 'Go', { graceMs: 10 });
    expect([state, log]).toMatchObject(['TASK_STATE_FAILED', [{ level: 'error', fields: { graceMs: 10 } }]]);
  });
});
