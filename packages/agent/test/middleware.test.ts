import { describe, expect, it } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { type Middleware, RetryableError } from '../src/index.ts';
import { runTurn } from '../src/testing/index.ts';

describe('middleware', () => {
  it('is around each attempt at a turn and at a step, the first entry outermost', async () => {
    const seen: string[] = [];
    const named = (name: string): Middleware => ({
      async aroundTurn(turn, next) {
        seen.push(`${name}: turn ${turn.attempt}`);
        return await next().finally(() => seen.push(`${name}: end`));
      },
      async aroundStep(turn, step, next) {
        seen.push(`${name}: ${turn.agentId} ${step.name} ${step.attempt}`);
        return await next();
      },
    });
    const agent = agentThat(
      async (turn) => {
        const quote = await turn.step(
          'quote',
          ({ attempt }) => {
            seen.push('step');
            if (attempt === 1) throw new Error('busy');
            return 12;
          },
          { attempts: 2, backoffMs: 1 },
        );
        if (turn.attempt === 1) throw new RetryableError('Not yet.');
        return turn.complete(`${quote}`);
      },
      { use: [named('a'), {}, named('b')] },
    );
    expect((await runTurn(agent, 'Go')).answer).toBe('12');
    const step = (attempt: number) => [`a: subject quote ${attempt}`, `b: subject quote ${attempt}`, 'step'];
    expect(seen).toEqual([
      ...['a: turn 1', 'b: turn 1', ...step(1), ...step(2), 'b: end', 'a: end'],
      ...['a: turn 2', 'b: turn 2', 'b: end', 'a: end'],
    ]);
  });

  it('may answer in the place of what it is around, and its errors are those of the turn', async () => {
    const cached: Middleware = {
      aroundTurn: (turn, next) => (turn.text === 'again' ? turn.reject('No.') : next()),
      aroundStep: async (_turn, _step, next) => ({ ...((await next()) as object), cached: true }),
    };
    const agent = agentThat(
      async (turn) => turn.complete(JSON.stringify(await turn.step('quote', () => ({ price: 1 })))),
      { use: [cached] },
    );
    expect((await runTurn(agent, 'once')).answer).toBe('{"price":1,"cached":true}');
    expect((await runTurn(agent, 'again')).state).toBe('TASK_STATE_REJECTED');
    const failing = agentThat((turn) => turn.complete(), {
      use: [{ aroundTurn: () => Promise.reject(new Error('no client')) }],
    });
    expect((await runTurn(failing, 'Go')).result).toMatchObject({ kind: 'failed', error: { message: 'no client' } });
  });
});
