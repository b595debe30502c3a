import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { agentThat } from '../../../../tests/support/agent-that.ts';
import { AgentError, RetryableError, StepTimedOut, Turn, TurnEnded, TurnMisuseError } from '../../src/index.ts';
import { MemoryPort, runTurn } from '../../src/testing/index.ts';

const openTurn = () => {
  const port = new MemoryPort({ message: 'Hello' });
  return { port, turn: new Turn(port) };
};

describe('a step', () => {
  it('does not run again in a retried turn, and returns the same result', async () => {
    const runs: string[] = [];
    const agent = agentThat(async (turn) => {
      const quote = await turn.step('quote', () => {
        runs.push('quote');
        return { price: 12 };
      });
      if (turn.attempt === 1) throw new RetryableError('Not yet.');
      const tax = await turn.step('tax', async () => {
        runs.push('tax');
        return 3;
      });
      return turn.complete(String(quote.price + tax));
    });
    expect((await runTurn(agent, 'How much?')).answer).toBe('15');
    expect(runs).toEqual(['quote', 'tax']);
  });

  it('runs again for every message', async () => {
    let runs = 0;
    const agent = agentThat(async (turn) => {
      const number = await turn.step('count', () => ++runs);
      return number < 2 ? turn.requireInput('Again?') : turn.complete(`run ${number}`);
    });
    const first = await runTurn(agent, 'one');
    expect((await first.say('two')).answer).toBe('run 2');
  });

  it('returns its result as JSON preserves it, already in the first attempt', async () => {
    const { turn } = openTurn();
    const value = { at: new Date(0), gone: undefined, list: [1] };
    await expect(turn.step('dated', () => value)).resolves.toEqual({ at: '1970-01-01T00:00:00.000Z', list: [1] });
    await expect(turn.step('nothing', () => undefined)).resolves.toBeUndefined();
    await expect(turn.step('null', () => null)).resolves.toBeNull();
  });

  it.each([
    ['a circular value', () => Object.assign(Object.create(null), { self: globalThis }), /cannot be written as JSON/],
    ['a bigint', () => 1n, /cannot be written as JSON/],
    ['a function', () => () => 1, /is a function, which JSON has no form for/],
    ['a very long text', () => 'x'.repeat(300_000), /has 300002 characters of JSON, at most 262144 are kept/],
  ])('cannot have %s as its result', async (_, execute, message) => {
    const { turn } = openTurn();
    const refused = turn.step<unknown>('odd', execute);
    await expect(refused).rejects.toThrow(TurnMisuseError);
    await expect(refused).rejects.toThrow(message);
  });

  it.each([
    ['in Node, which lists its own lines', () => readFile('/nowhere'), undefined],
    ['in a callback of Node, which lists none', () => fetch('http://127.0.0.1:1'), undefined],
    ['with a time limit', () => fetch('http://127.0.0.1:1'), 60_000],
  ])("that fails %s has the agent's line in the stack", async (_, execute, timeoutMs) => {
    const theAuthor = async (turn: Turn) =>
      turn.complete(String(await turn.step<unknown>('odd', execute, timeoutMs === undefined ? {} : { timeoutMs })));
    const { result } = await runTurn(agentThat(theAuthor), 'Hello');
    expect(Object(result).error.stack).toMatch(/at .*theAuthor .*steps\.test\.ts:\d+/);
  });

  it('is refused without a name, or with the name of an earlier step of the turn', async () => {
    const { turn } = openTurn();
    await turn.step('fetch', () => 1);
    await expect(turn.step('fetch', () => 2)).rejects.toThrow('The turn has a step "fetch" already');
    await expect(turn.step('', () => 2)).rejects.toThrow('A step needs a name of 1 to 200 printable characters');
    await expect(turn.step('a\nb', () => 2)).rejects.toThrow(TurnMisuseError);
  });

  it('that failed can be run again by the agent in the same attempt', async () => {
    const { turn } = openTurn();
    await expect(turn.step('flaky', () => Promise.reject(new Error('busy')))).rejects.toThrow('busy');
    await expect(turn.step('flaky', () => 'there')).resolves.toBe('there');
  });

  it('cannot end the turn', async () => {
    const { turn, port } = openTurn();
    await expect(turn.step('rash', () => turn.complete('Done'))).rejects.toThrow(/"rash" cannot end its turn/);
    await expect(turn.step('needy', () => turn.requireAuth('Log in'))).rejects.toThrow(/"needy" cannot end its turn/);
    expect(port.published).toEqual([]);
    await turn.complete('Done');
  });

  it('does not begin after the outcome of the turn, nor after it was taken over', async () => {
    const { turn, port } = openTurn();
    let runs = 0;
    port.refuse();
    await turn.working('Still here?').catch(() => undefined);
    await expect(turn.step('late', () => ++runs)).rejects.toThrow(TurnEnded);
    const other = openTurn();
    await other.turn.complete();
    await expect(other.turn.step('late', () => ++runs)).rejects.toThrow(TurnMisuseError);
    expect(runs).toBe(0);
  });

  it('fails and stores no result if one of its events could not be written', async () => {
    const { turn, port } = openTurn();
    port.publish = () => new Promise((_, reject) => setImmediate(() => reject(new Error('Redis is away.'))));
    const step = turn.step('lossy', () => {
      turn.working('Not awaited').catch(() => undefined);
      return 'done';
    });
    await expect(step).rejects.toThrow('Redis is away.');
    expect(await port.steps.begin('step lossy')).toMatchObject({ kind: 'run' });
  });
});

describe('a step with attempts', () => {
  const busy = (retryAfterMs: number) => Object.assign(new Error('busy'), { retryAfterMs });

  it('is retried within the turn, and its function gets the number of the attempt', async () => {
    const { turn } = openTurn();
    const seen: [number, boolean][] = [];
    const quote = turn.step(
      'quote',
      ({ attempt, isLastAttempt }) => {
        seen.push([attempt, isLastAttempt]);
        if (attempt < 3) throw new Error('busy');
        return 12;
      },
      { attempts: 3, backoffMs: 1 },
    );
    await expect(quote).resolves.toBe(12);
    expect(seen).toEqual([
      [1, false],
      [2, false],
      [3, true],
    ]);
  });

  it('throws the error of its last attempt, which does to the turn what any error does', async () => {
    let runs = 0;
    const failing = (error: Error) =>
      agentThat(async (turn) => {
        await turn.step('quote', () => Promise.reject(runs++ ? error : new Error('first')), {
          attempts: 2,
          backoffMs: 1,
        });
        return turn.complete();
      });
    expect(await runTurn(failing(new Error('second')), 'Go')).toMatchObject({
      state: 'TASK_STATE_FAILED',
      result: { error: { message: 'second' } },
    });
    expect(runs).toBe(2);
    expect((await runTurn(failing(new RetryableError('busy')), 'Go', { maxAttempts: 2 })).answer).toBe(
      'The agent gave up after 2 attempts: busy',
    );
    expect(runs).toBe(6);
  });

  it.each([
    ['an AgentError', () => new AgentError('Sold out.')],
    ['misuse', () => new TurnMisuseError('Wrong.')],
    ['an error that retryOn does not name', () => new TypeError('undefined is not a pizza')],
  ])('is not retried after %s', async (_, error) => {
    const { turn } = openTurn();
    let runs = 0;
    const run = () => {
      runs++;
      throw error();
    };
    const options = { attempts: 3, backoffMs: 1, retryOn: (thrown: unknown) => !(thrown instanceof TypeError) };
    await expect(turn.step('quote', run, options)).rejects.toThrow(error().message);
    expect(runs).toBe(1);
  });

  it("waits for the backoff, or for the error's retryAfterMs up to the step's limit", async () => {
    const { turn, port } = openTurn();
    const delays: (number | undefined)[] = [];
    port.steps.noteFailure = async (_name, _error, retryAfterMs) => {
      delays.push(retryAfterMs);
    };
    const errors = [new Error('busy'), new Error('busy'), busy(1), busy(60_000), busy(Number.NaN)];
    const run = ({ attempt }: { attempt: number }) => Promise.reject(errors[attempt - 1]);
    const options = { attempts: 5, backoffMs: 8, maxBackoffMs: 12, maxRetryAfterMs: 5 };
    await expect(turn.step('quote', run, options)).rejects.toThrow('busy');
    const [first = 0, second = 0, ...rest] = delays;
    expect(first).toBeGreaterThanOrEqual(4);
    expect(second).toBeGreaterThanOrEqual(6);
    expect(second).toBeLessThanOrEqual(12);
    expect(rest).toEqual([1, 5, undefined]);
  });

  it('ends an attempt after timeoutMs, aborts its signal, and refuses what it does later', async () => {
    const { turn, port } = openTurn();
    const late = Promise.withResolvers<void>();
    const reasons: unknown[] = [];
    const quote = turn.step(
      'quote',
      async ({ attempt, signal }) => {
        if (attempt === 2) return turn.working('Asked again').then(() => 12);
        signal.addEventListener('abort', () => reasons.push(signal.reason));
        await late.promise;
        await turn.working('Too late');
        return 0;
      },
      { attempts: 2, backoffMs: 1, timeoutMs: 5 },
    );
    await expect(quote).resolves.toBe(12);
    late.resolve();
    await turn.complete();
    expect(reasons).toEqual([expect.any(StepTimedOut)]);
    expect(port.current.history?.map(({ parts }) => parts[0]?.text)).toEqual(['Hello', 'Asked again']);
  });

  it('stops with its turn, also while it waits for its next attempt', async () => {
    let begun = 0;
    const agent = agentThat(async (turn) => {
      await turn.step(
        'quote',
        async () => {
          begun++;
          await turn.working();
          throw busy(60_000);
        },
        { attempts: 9 },
      );
      return turn.complete();
    });
    expect((await runTurn(agent, 'Go', { cancelAfter: 1 })).state).toBe('TASK_STATE_CANCELED');
    expect(begun).toBe(1);
  });

  it('suspends its turn for a long delay, which costs no attempt at the turn, and remembers its attempts', async () => {
    const seen: string[] = [];
    const agent = agentThat(async (turn) => {
      seen.push(`turn ${turn.attempt}`);
      const run = ({ attempt }: { attempt: number }) => {
        seen.push(`step ${attempt}`);
        if (attempt < 4) throw busy(attempt === 2 ? 1 : 3_600_000);
        return 12;
      };
      const quote = await turn.step('quote', run, { attempts: 4, maxRetryAfterMs: 7_200_000 });
      await turn.step('rest', () => seen.push('rest'));
      if (turn.attempt === 1) throw new RetryableError('Not yet.');
      return turn.complete(String(quote));
    });
    const begun = performance.now();
    expect((await runTurn(agent, 'Go')).answer).toBe('12');
    expect(performance.now() - begun).toBeLessThan(60_000);
    expect(seen).toEqual(['turn 1', 'step 1', 'turn 1', 'step 2', 'step 3', 'turn 1', 'step 4', 'rest', 'turn 2']);
  });

  it('in another step waits without suspending the turn', async () => {
    const runs: number[] = [];
    const agent = agentThat(async (turn) => {
      const inner = ({ attempt }: { attempt: number }) => {
        runs.push(attempt);
        throw busy(60_000);
      };
      await turn.step('outer', () => turn.step('inner', inner, { attempts: 2 }), { timeoutMs: 20 }).catch(() => 0);
      return turn.complete();
    });
    expect((await runTurn(agent, 'Go')).state).toBe('TASK_STATE_COMPLETED');
    expect(runs).toEqual([1]);
  });

  it('publishes the events of all its attempts once, and writes its artifact from the beginning', async () => {
    const { turn, port } = openTurn();
    const report = turn.artifact({ name: 'Report' });
    const write = async ({ attempt }: { attempt: number }) => {
      await turn.working('Writing');
      await report.append(`attempt ${attempt}: `);
      if (attempt === 1) throw new Error('busy');
      await report.finish('done');
    };
    await turn.step('write', write, { attempts: 2, backoffMs: 1 });
    await turn.complete();
    expect(port.current.history?.map(({ parts }) => parts[0]?.text)).toEqual(['Hello', 'Writing']);
    expect(port.current.artifacts?.map(({ parts }) => parts)).toEqual([[{ text: 'attempt 2: done' }]]);
  });

  it.each([
    [{ attempts: 0 }, 'its attempts is 0'],
    [{ timeoutMs: 1.5 }, 'its timeoutMs is 1.5'],
    [{ backoffMs: -1 }, 'its backoffMs is -1'],
  ])('refuses the options %o', async (options, why) => {
    const { turn } = openTurn();
    await expect(turn.step('quote', () => 1, options)).rejects.toThrow(`The step "quote" cannot run: ${why}`);
  });
});

describe('an artifact', () => {
  it('can be written either in one step, or outside of all steps', async () => {
    const { turn } = openTurn();
    const report = turn.artifact({ name: 'Report' });
    await report.append('a');
    await expect(turn.step('write', () => report.append('b'))).rejects.toThrow(
      'The artifact "Report" was begun outside of any step: write all of it there.',
    );
    const summary = turn.artifact({ name: 'Summary' });
    await turn.step('begin', () => summary.append('a'));
    await expect(summary.append('b')).rejects.toThrow('was begun in the step "begin"');
  });

  it('keeps its id in a retried turn that skips a finished step before it', async () => {
    const agent = agentThat(async (turn) => {
      await turn.step('write', () => turn.artifact({ name: 'Report' }).finish('of the step'));
      await turn.artifact({ name: 'Report' }).finish(`of attempt ${turn.attempt}`);
      if (turn.attempt === 1) throw new RetryableError('Not yet.');
      return turn.complete();
    });
    const { task } = await runTurn(agent, 'Go');
    expect(task.artifacts?.map(({ parts }) => parts)).toEqual([[{ text: 'of the step' }], [{ text: 'of attempt 2' }]]);
  });
});
