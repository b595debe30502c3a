import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import {
  AgentError,
  type Execute,
  type InterruptionKind,
  type Outcome,
  RetryableError,
  type Turn,
  TurnEnded,
  TurnMisuseError,
} from '../src/index.ts';
import { executeTurn } from '../src/runtime.ts';
import { MemoryPort, type MemoryTurn } from '../src/testing/index.ts';

interface RunOptions extends Partial<MemoryTurn> {
  readonly turnTimeoutMs?: number;
  readonly port?: MemoryPort;
}

async function run(execute: Execute, { turnTimeoutMs = 60_000, port, ...turn }: RunOptions = {}) {
  const used = port ?? new MemoryPort({ message: 'Hello', ...turn });
  const result = await executeTurn(agentThat(execute, { turnTimeoutMs }), used, { graceMs: 20 });
  const { status } = used.current;
  return { result, port: used, status, statusText: status.message?.parts[0]?.text };
}

const never = () => new Promise<never>(() => undefined);

/** An agent that need not return an outcome, as in plain JavaScript. */
function untyped(execute: (turn: Turn) => unknown): Execute {
  return async (turn) => execute(turn) as Outcome;
}

it('an agent that publishes its status in an endless loop fails, and is told why', async () => {
  const { result, status } = await run(async (turn) => {
    for (;;) await turn.working();
  });
  expect(result).toMatchObject({ error: expect.any(TurnMisuseError) });
  expect(Object(result).error.message).toMatch(
    /^The turn has published 10\d\d\d status events within \d+ s: does it publish in an endless loop\?/,
  );
  expect(status.state).toBe('TASK_STATE_FAILED');
});

describe('an agent that publishes an outcome', () => {
  it('settles its turn', async () => {
    const { result, status } = await run((turn) => turn.requireInput('Which?'));
    expect(result).toEqual({ kind: 'settled', state: 'TASK_STATE_INPUT_REQUIRED' });
    expect(status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  it('settles its turn without awaiting the outcome', async () => {
    const { result } = await run(untyped((turn) => void turn.complete('Done')));
    expect(result).toEqual({ kind: 'settled', state: 'TASK_STATE_COMPLETED' });
  });

  it('keeps its outcome when it throws afterwards; the result contains the error', async () => {
    const error = new Error('too late');
    const { result, status } = await run(async (turn) => {
      await turn.complete();
      throw error;
    });
    expect(result).toEqual({ kind: 'settled', state: 'TASK_STATE_COMPLETED', error });
    expect(status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('gets an error for what it publishes afterwards', async () => {
    const { result } = await run(untyped((turn) => void [turn.complete(), turn.working('more')]));
    expect(result).toMatchObject({ kind: 'settled', error: expect.any(TurnMisuseError) });
  });
});

describe('an agent that returns without an outcome', () => {
  it('fails its task with an error that says how to return an outcome', async () => {
    const { result, statusText } = await run(untyped((turn) => turn.working('Looking')));
    expect(statusText).toBe('The agent ended its turn without an outcome.');
    expect(result).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining('return turn.complete(') },
    });
  });

  it('is told what it returned instead', async () => {
    for (const [value, what] of [
      ['Hello', 'a string'],
      [{ state: 'TASK_STATE_COMPLETED' }, 'an object'],
      [[], 'an array'],
      [null, 'null'],
    ]) {
      const { result } = await run(untyped(() => value));
      expect(Object(result).error.message).toContain(`returned ${what}, which is no outcome: end it with`);
    }
  });

  it('leaves its task waiting if its last event was requireAuth', async () => {
    const { result, status } = await run((turn) => turn.requireAuth('May I?'));
    expect(result).toEqual({ kind: 'waiting-for-auth' });
    expect(status.state).toBe('TASK_STATE_AUTH_REQUIRED');
  });

  it('fails its task if it published something after requireAuth', async () => {
    const { result } = await run(
      untyped(async (turn) => {
        await turn.requireAuth('May I?');
        await turn.working('Thank you');
      }),
    );
    expect(result.kind).toBe('failed');
  });
});

describe('an agent that throws', () => {
  it('fails its task with a neutral text; only the result contains the error', async () => {
    const error = new Error('password=hunter2');
    const { result, statusText, port } = await run(async () => {
      throw error;
    });
    expect(result).toEqual({ kind: 'failed', error });
    expect(statusText).toBe('The agent failed unexpectedly.');
    expect(JSON.stringify(port.events)).not.toContain('hunter2');
  });

  it('fails its task also if it throws synchronously a value that is not an Error', async () => {
    const { result } = await run(() => {
      throw 'a string';
    });
    expect(result).toEqual({ kind: 'failed', error: 'a string' });
  });

  it('fails its task with the text of an AgentError', async () => {
    const error = new AgentError('No such order.', { cause: new Error('row 17') });
    const { result, statusText } = await run(async () => {
      throw error;
    });
    expect([result, statusText]).toEqual([{ kind: 'failed', error }, 'No such order.']);
  });

  it('is retried after a RetryableError, of which nothing is published', async () => {
    const error = new RetryableError('busy', { retryAfterMs: 1234 });
    const { result, port } = await run(async () => {
      throw error;
    });
    expect(result).toEqual({ kind: 'retry', afterMs: 1234, error });
    expect(port.events).toEqual([]);
  });

  it('fails its task after a RetryableError in the last attempt', async () => {
    const error = new RetryableError('The price service is away.');
    const options = { attempt: 3, isLastAttempt: true };
    const { result, statusText } = await run(async () => {
      throw error;
    }, options);
    expect(result).toEqual({ kind: 'failed', error });
    expect(statusText).toBe('The agent gave up after 3 attempts: The price service is away.');
  });
});

describe('an interrupted turn', () => {
  const reasons: InterruptionKind[] = ['shutdown', 'canceled', 'taken-over'];

  it.each(reasons)(
    'has the reason of the interruption (%s) as its result, not the error of the agent',
    async (kind) => {
      const port = new MemoryPort({ message: 'Hello' });
      const { result } = await run(
        async (turn) => {
          port.interrupt(kind);
          await delay(60_000, undefined, { signal: turn.signal });
          return turn.complete();
        },
        { port },
      );
      expect(result).toMatchObject({ kind: 'interrupted', reason: { kind } });
      expect(port.events).toEqual([]);
    },
  );

  it('keeps what the agent writes in its grace period, and its outcome', async () => {
    const port = new MemoryPort({ message: 'Hello' });
    const { result } = await run(
      async (turn) => {
        port.interrupt('shutdown');
        await turn.artifact({ name: 'So far' }).finish('half');
        return turn.complete();
      },
      { port },
    );
    expect(result).toEqual({ kind: 'settled', state: 'TASK_STATE_COMPLETED' });
    expect(port.current.artifacts).toHaveLength(1);
  });

  it('ends after its grace period although the agent does not stop; later writes are refused', async () => {
    const port = new MemoryPort({ message: 'Hello' });
    const turnOfAgent = Promise.withResolvers<Turn>();
    const execute: Execute = async (turn) => {
      turnOfAgent.resolve(turn);
      port.interrupt('shutdown');
      return never();
    };
    const { result } = await run(execute, { port });
    expect(result).toMatchObject({ kind: 'interrupted', reason: { kind: 'shutdown' } });
    await expect((await turnOfAgent.promise).working('still here')).rejects.toThrow(TurnEnded);
    expect(port.events).toEqual([]);
  });

  it('is settled if its outcome came before the interruption, although the agent does not return', async () => {
    const port = new MemoryPort({ message: 'Hello' });
    const { result } = await run(
      async (turn) => {
        await turn.complete();
        port.interrupt('shutdown');
        return never();
      },
      { port },
    );
    expect(result).toEqual({ kind: 'settled', state: 'TASK_STATE_COMPLETED' });
  });

  it('does not begin if it was interrupted before', async () => {
    const port = new MemoryPort({ message: 'Hello' });
    port.interrupt('shutdown');
    const { result } = await run((turn) => turn.complete(), { port });
    expect(result).toMatchObject({ kind: 'interrupted', reason: { kind: 'shutdown' } });
    expect(port.events).toEqual([]);
  });

  it('has the result "taken-over" although the agent caught the refused write', async () => {
    const port = new MemoryPort({ message: 'Hello' });
    port.refuse();
    const { result } = await run(
      untyped(async (turn) => {
        await turn.working().catch(() => undefined);
      }),
      { port },
    );
    expect(result).toMatchObject({ kind: 'interrupted', reason: { kind: 'taken-over' } });
  });
});

describe('a turn that takes longer than turnTimeoutMs', () => {
  const text = 'The agent did not finish within 0.03 s.';

  it('is interrupted, and its task fails', async () => {
    const execute: Execute = async (turn) => {
      await delay(60_000, undefined, { signal: turn.signal });
      return turn.complete();
    };
    const { result, statusText } = await run(execute, { turnTimeoutMs: 30 });
    expect(result).toMatchObject({ kind: 'failed', error: { kind: 'deadline' } });
    expect(statusText).toBe(text);
  });

  it('fails its task although the agent does not stop', async () => {
    const { result, statusText } = await run(never, { turnTimeoutMs: 30 });
    expect([result.kind, statusText]).toEqual(['failed', text]);
  });

  it('can publish its own outcome in the grace period', async () => {
    const execute: Execute = async (turn) => {
      await delay(60_000, undefined, { signal: turn.signal }).catch(() => undefined);
      return turn.fail('Too many pages.');
    };
    const { statusText } = await run(execute, { turnTimeoutMs: 30 });
    expect(statusText).toBe('Too many pages.');
  });

  it('is abandoned if the failure cannot be written', async () => {
    const port = new MemoryPort({ message: 'Hello' });
    port.publish = never;
    const { result } = await run(never, { port, turnTimeoutMs: 30 });
    expect(result).toMatchObject({ kind: 'interrupted', reason: { kind: 'deadline' } });
  });
});

describe('a failed write to the store', () => {
  it('causes a retry of the turn, also in the last attempt: the agent did not fail', async () => {
    const port = new MemoryPort({ message: 'Hello', isLastAttempt: true });
    const fault = new Error('no connection');
    port.refuse(fault);
    const { result } = await run((turn) => turn.complete(), { port });
    expect(result).toEqual({ kind: 'retry', afterMs: undefined, error: fault });
  });

  it('fails the task if the store refuses the event itself', async () => {
    const port = new MemoryPort({ message: 'Hello' });
    const publish = port.publish.bind(port);
    const error = new TurnMisuseError('Too many artifacts.');
    port.publish = async (event) => (event.kind === 'artifact' ? Promise.reject(error) : publish(event));
    const { result, statusText } = await run(
      async (turn) => {
        await turn.artifact({ name: 'One too many' }).finish('x');
        return turn.complete();
      },
      { port },
    );
    expect([result, statusText]).toEqual([{ kind: 'failed', error }, 'The agent failed unexpectedly.']);
  });

  it('fails the task if the store refuses the outcome itself, such as one that is too large', async () => {
    const port = new MemoryPort({ message: 'Hello' });
    const publish = port.publish.bind(port);
    const error = new TurnMisuseError('It is too large.');
    port.publish = async (event) =>
      event.kind === 'status' && event.state !== 'TASK_STATE_FAILED' ? Promise.reject(error) : publish(event);
    for (const execute of [(turn: Turn) => turn.complete('x'), untyped((turn) => turn.requireAuth('May I?'))]) {
      const { result, statusText } = await run(execute, { port: Object.assign(port, { events: [] }) });
      expect([result, statusText]).toEqual([{ kind: 'failed', error }, 'The agent failed unexpectedly.']);
    }
  });

  it('causes a retry of the turn also if it is what the turn used, or why its step failed', async () => {
    const fault = new Error('no connection');
    const fails = () => Promise.reject(fault);
    const port = new MemoryPort({ message: 'Hello' });
    const using = Object.assign(new MemoryPort({ message: 'Hello' }), { recordUsage: fails });
    Object.assign(port.steps, { noteFailure: fails });
    const results = await Promise.all([
      run(async (turn) => turn.usage({ model: 'small', inputTokens: 1 }).then(() => turn.complete()), { port: using }),
      run(async (turn) => turn.step('print', fails).then(() => turn.complete()), { port }),
    ]);
    for (const { result } of results) expect(result).toEqual({ kind: 'retry', afterMs: undefined, error: fault });
  });

  it('causes a retry of the turn also while the error of an agent is written', async () => {
    const port = new MemoryPort({ message: 'Hello' });
    const fault = new Error('no connection');
    port.refuse(fault);
    const { result } = await run(
      async () => {
        throw new AgentError('No such order.');
      },
      { port },
    );
    expect(result).toEqual({ kind: 'retry', afterMs: undefined, error: fault });
  });
});
