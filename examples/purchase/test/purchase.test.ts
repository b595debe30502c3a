import { runTurn } from '@switchyard/agent/testing';
import { describe, expect, it, vi } from 'vitest';
import purchase from '../agent.ts';

vi.hoisted(() => {
  for (const name of ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'APPROVALS_URL']) delete process.env[name];
});

const proposal = 'The Alto for 420 USD, because it lasts longest.';
const ann = { approved: true, by: 'Ann' };
const inFiveDays = 5 * 24 * 3_600_000;

describe('the purchase agent', () => {
  it('researches, waits for days for the approval, and orders', async () => {
    const events = [{ name: 'approval', data: ann, afterMs: inFiveDays }];
    const { answer, state, used, log } = await runTurn(purchase, 'A standing desk', { events });
    expect(state).toBe('TASK_STATE_COMPLETED');
    expect(answer).toMatch(/^Order \S+ is placed, approved by Ann: The Alto/);
    // In both runs of the turn together.
    expect(used).toMatchObject([
      { model: 'gpt-4o-mini', inputTokens: 14, outputTokens: 16 },
      { model: 'gpt-4o-mini', inputTokens: 28, outputTokens: 12 },
    ]);
    expect(log).toHaveLength(1);
  });

  it('says what it proposes while it waits, and does not order what the manager does not want', async () => {
    const asked = await runTurn(purchase, 'A standing desk');
    expect([asked.state, asked.answer]).toEqual(['TASK_STATE_WORKING', `Waits for a manager: ${proposal}`]);
    expect(asked.waits).toMatchObject([{ event: 'approval' }]);
    const refused = await asked.give('approval', { approved: false, by: 'Bob' });
    expect([refused.state, refused.answer]).toEqual(['TASK_STATE_REJECTED', `Bob does not want it: ${proposal}`]);
  });

  it('waits on after an answer that it cannot read, but not for ever', async () => {
    // It comes before the agent waits: later the gateway refuses it.
    const confused = await runTurn(purchase, 'A standing desk', { events: [{ name: 'approval', data: 'ok!' }] });
    expect(confused.waits).toMatchObject([{ event: 'approval' }]);
    const late = await confused.skip();
    expect([late.state, late.answer]).toEqual(['TASK_STATE_REJECTED', 'No manager answered within 7 days.']);
  });

  it('asks no model twice when its worker crashes', async () => {
    const events = [{ name: 'approval', data: ann }];
    const { state, used } = await runTurn(purchase, 'A standing desk', { events, crashesAfter: [1] });
    expect([state, used.length]).toEqual(['TASK_STATE_COMPLETED', 2]);
  });
});
