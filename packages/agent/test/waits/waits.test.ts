import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentThat } from '../../../../tests/support/agent-that.ts';
import { EventError, TurnMisuseError } from '../../src/index.ts';
import { runTurn } from '../../src/testing/index.ts';

const day = 86_400_000;

describe('turn.sleep', () => {
  it('ends the run, and the next run goes on behind it, with the results of its steps and the same attempt', async () => {
    const runs: string[] = [];
    const agent = agentThat(async (turn) => {
      runs.push(`run of attempt ${turn.attempt}`);
      await turn.step('ask', () => runs.push('ask'));
      await turn.sleep('3 days');
      await turn.sleepUntil(new Date(Date.now() + 30 * day));
      return turn.complete('done');
    });
    expect((await runTurn(agent, 'Wait')).answer).toBe('done');
    expect(runs).toEqual(['run of attempt 1', 'ask', 'run of attempt 1', 'run of attempt 1']);
  });

  it('leaves the function without running its catch and finally, and aborts the signal', async () => {
    const seen: string[] = [];
    const agent = agentThat(async (turn) => {
      const { signal } = turn;
      signal.addEventListener('abort', () => seen.push(signal.reason.kind));
      try {
        await turn.sleep('1 h');
        seen.push('slept');
      } catch {
        seen.push('caught');
      } finally {
        seen.push('cleaned up');
      }
      return turn.complete();
    });
    expect((await runTurn(agent, 'Wait')).state).toBe('TASK_STATE_COMPLETED');
    expect(seen).toEqual(['suspended', 'slept', 'cleaned up']);
  });

  it('waits for steps that run beside it, and several waits go on together', async () => {
    const order: string[] = [];
    const agent = agentThat(async (turn) => {
      await Promise.all([
        turn.sleep('2 h').then(() => order.push('2 h')),
        turn.sleep('1 h').then(() => order.push('1 h')),
        turn.step('slow', async () => {
          await new Promise((resolve) => setTimeout(resolve, 60));
          order.push('slow');
        }),
      ]);
      return turn.complete();
    });
    await runTurn(agent, 'Wait');
    expect(order[0]).toBe('slow');
    expect(order.filter((one) => one === 'slow')).toHaveLength(1);
    expect(order.filter((one) => one === '2 h')).toHaveLength(1);
  });

  it('is refused in a step, and for what is no duration', async () => {
    const problems: unknown[] = [];
    const agent = agentThat(async (turn) => {
      await turn.step('nap', () => turn.sleep('1 h')).catch((error) => problems.push(error));
      for (const wrong of ['soon', '3 fortnights', '', -1, Number.NaN, '1 h, 2 min'])
        await turn.sleep(wrong).catch((error) => problems.push(error));
      return turn.complete();
    });
    await runTurn(agent, 'Wait');
    expect(problems).toHaveLength(7);
    expect(problems.every((problem) => problem instanceof TurnMisuseError)).toBe(true);
    expect(String(problems[1])).toMatch(/"soon" is no duration/);
  });
});

describe('turn.waitFor', () => {
  const buys = agentThat(async (turn) => {
    const schema = z.object({ amount: z.number() });
    try {
      const { amount } = await turn.waitFor('payment', { timeout: '3 days', schema });
      return turn.complete(`paid ${amount}`);
    } catch (error) {
      if (!(error instanceof EventError)) throw error;
      return turn.complete(`${error.kind}: ${error.message}`);
    }
  });

  it('returns the data of an event that is given while it waits, or before, or that the options give later', async () => {
    const asked = await runTurn(buys, 'Buy');
    expect(asked.waits).toMatchObject([{ event: 'payment', until: expect.stringMatching(/^\d{4}-/) }]);
    expect((await asked.give('payment', { amount: 5 })).answer).toBe('paid 5');
    const given = { name: 'payment', data: { amount: 6 } };
    expect((await runTurn(buys, 'Buy', { events: [given] })).answer).toBe('paid 6');
    expect((await runTurn(buys, 'Buy', { events: [{ ...given, afterMs: day }] })).answer).toBe('paid 6');
  });

  it('fails when no event comes in time, or its data does not match the schema', async () => {
    const asked = await runTurn(buys, 'Buy');
    expect((await asked.skip()).answer).toBe('timed-out: The event "payment" did not come within 3 days.');
    const late = { name: 'payment', data: { amount: 5 }, afterMs: 4 * day };
    expect((await runTurn(buys, 'Buy', { events: [late] })).answer).toMatch(/^timed-out/);
    // The gateway refuses wrong data only while the turn waits.
    const before = { name: 'payment', data: { amount: 'much' } };
    const wrong = await runTurn(buys, 'Buy', { events: [before] });
    expect(wrong.answer).toMatch(/^unexpected-data: The event "payment" has unexpected data: amount: /);
  });

  it('waits again if the agent catches wrong data', async () => {
    const schema = z.number();
    const agent = agentThat(async (turn) => {
      for (;;) {
        const amount = await turn.waitFor('payment', { schema }).catch((error) => turn.working(error.message));
        if (amount) return turn.complete(`paid ${amount}`);
      }
    });
    const wrong = await runTurn(agent, 'Buy', { events: [{ name: 'payment', data: 'much' }] });
    expect(wrong.waits).toMatchObject([{ event: 'payment' }]);
    expect((await wrong.give('payment', 5)).answer).toBe('paid 5');
  });

  it('fails with the line that waited', async () => {
    const agent = agentThat(async function waits(turn) {
      await turn.step('ask', () => 'asked');
      return turn.complete(await turn.waitFor('payment', { schema: z.string() }));
    });
    const { result } = await runTurn(agent, 'Buy', { events: [{ name: 'payment', data: 5 }] });
    expect(result).toMatchObject({ error: expect.any(EventError) });
    expect(Object(result).error.stack).toMatch(
      /^EventError: The event "payment" has .*\n(?:.*\n)*.*waits\.test\.ts:\d+/,
    );
  });

  it('refuses what the gateway refuses, in its words', async () => {
    const asked = await runTurn(buys, 'Buy');
    await expect(asked.give('paymnet', { amount: 5 })).rejects.toMatchObject({
      code: 'Conflict',
      message: 'The task does not wait for an event "paymnet": it waits for payment',
    });
    await expect(asked.give('payment', { amount: 'much' })).rejects.toMatchObject({
      code: 'InvalidParams',
      message: expect.stringMatching(/^Invalid parameters: data\.amount /),
    });
    const late = { name: 'paymnet', afterMs: day };
    await expect(runTurn(buys, 'Buy', { events: [late] })).rejects.toThrow('does not wait for an event "paymnet"');
    const paid = await asked.give('payment', { amount: 5 });
    await expect(paid.give('payment', { amount: 5 })).rejects.toThrow('The task has ended');
  });

  it('shows what the whole turn has done, also before its wait', async () => {
    const agent = agentThat(async (turn) => {
      const use = async () => {
        await turn.usage({ model: 'small', inputTokens: 1 });
        turn.log.info('Asked');
      };
      await turn.step('before', use);
      await turn.waitFor('payment');
      await turn.step('after', use);
      return turn.complete();
    });
    const paid = await (await runTurn(agent, 'Buy')).give('payment');
    expect([paid.used.length, paid.log.length]).toEqual([2, 2]);
  });

  it('takes one event after the other', async () => {
    const agent = agentThat(async (turn) => {
      const names: unknown[] = [];
      for (let n = 0; n < 3; n++) names.push(await turn.waitFor('name'));
      return turn.complete(names.join(' '));
    });
    const first = await runTurn(agent, 'Names', { events: [{ name: 'name', data: 'Ann' }] });
    const second = await first.give('name', 'Bob');
    expect((await second.give('name', 'Cem')).answer).toBe('Ann Bob Cem');
  });
});
