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

interface Scene extends Partial<MemoryTurn> {
  readonly turnTimeoutMs?: number;
  readonly port?: MemoryPort;
}

async function run(execute: Execute, { turnTimeoutMs = 60_000, port, ...turn }: Scene = {}) {
  const stage = port ?? new MemoryPort({ message: 'Hello', ...turn });
  const result = await executeTurn(agentThat(execute, { turnTimeoutMs }), stage, { graceMs: 20 });
  return { result, port: stage, status: stage.current.status, said: stage.current.status.message?.parts[0]?.text };
}

const never = () => new Promise<never>(() => undefined);

/** What an agent in plain JavaScript may do. */
function forgetful(execute: (turn: Turn) => unknown): Execute {
  return async (turn) => execute(turn) as Outcome;
}

describe('an agent that comes to an outcome', () => {
  it('has settled its turn', async () => {
    const { result, status } = await run((turn) => turn.requireInput('Which?'));
    expect(result).toEqual({ kind: 'settled', state: 'TASK_STATE_INPUT_REQUIRED' });
    expect(status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  it('need not have awaited it', async () => {
    const { result } = await run(forgetful((turn) => void turn.complete('Done')));
    expect(result).toEqual({ kind: 'settled', state: 'TASK_STATE_COMPLETED' });
  });

  it('keeps it whatever it throws afterwards, and the error is returned', async () => {
    const error = new Error('too late');
    const { result, status } = await run(async (turn) => {
      await turn.complete();
      throw error;
    });
    expect(result).toEqual({ kind: 'settled', state: 'TASK_STATE_COMPLETED', error });
    expect(status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('gets an error for what it publishes afterwards', async () => {
    const { result } = await run(forgetful((turn) => void [turn.complete(), turn.working('more')]));
    expect(result).toMatchObject({ kind: 'settled', error: expect.any(TurnMisuseError) });
  });
});

describe('an agent that returns without an outcome', () => {
  it('fails its task, and the log has a hint', async () => {
    const { result, said } = await run(forgetful((turn) => turn.working('Looking')));
    expect(said).toBe('The agent ended its turn without an outcome.');
    expect(result).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining('return turn.complete(') },
    });
  });

  it('waits when it has asked for an authorization', async () => {
    const { result, status } = await run((turn) => turn.requireAuth('May I?'));
    expect(result).toEqual({ kind: 'waiting-for-auth' });
    expect(status.state).toBe('TASK_STATE_AUTH_REQUIRED');
  });

  it('does not wait when it went on after the authorization', async () => {
    const { result } = await run(
      forgetful(async (turn) => {
        await turn.requireAuth('May I?');
        await turn.working('Thank you');
      }),
    );
    expect(result.kind).toBe('failed');
  });
});

describe('an agent that throws', () => {
  it('fails its task with a neutral text, and the error is for the log', async () => {
    const error = new Error('password=hunter2');
    const { result, said, port } = await run(async () => {
      throw error;
    });
    expect(result).toEqual({ kind: 'failed', error });
    expect(said).toBe('The agent failed unexpectedly.');
    expect(JSON.stringify(port.events)).not.toContain('hunter2');
  });

  it('fails it although the throw was in plain code before the first await, or was no error', async () => {
    const { result } = await run(() => {
      throw 'a string';
    });
    expect(result).toEqual({ kind: 'failed', error: 'a string' });
  });

  it('fails it with its own text when that is for the client', async () => {
    const error = new AgentError('No such order.', { cause: new Error('row 17') });
    const { result, said } = await run(async () => {
      throw error;
    });
    expect([result, said]).toEqual([{ kind: 'failed', error }, 'No such order.']);
  });

  it('is retried after a RetryableError, and the client sees nothing of it', async () => {
    const error = new RetryableError('busy', { retryAfterMs: 1234 });
    const { result, port } = await run(async () => {
      throw error;
    });
    expect(result).toEqual({ kind: 'retry', afterMs: 1234, error });
    expect(port.events).toEqual([]);
  });

  it('fails its task when the attempts are spent', async () => {
    const error = new RetryableError('The price service is away.');
    const scene = { attempt: 3, isLastAttempt: true };
    const { result, said } = await run(async () => {
      throw error;
    }, scene);
    expect(result).toEqual({ kind: 'failed', error, isGivenUp: true });
    expect(said).toBe('The agent gave up after 3 attempts: The price service is away.');
  });
});

describe('an interrupted turn', () => {
  const reasons: InterruptionKind[] = ['shutdown', 'canceled', 'taken-over'];

  it.each(reasons)('says that it was interrupted by %s, whatever the agent makes of its signal', async (kind) => {
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
  });

  it('keeps what the agent still writes in its grace, and its outcome too', async () => {
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

  it('is over after its grace although the agent does not stop, and late writes are refused', async () => {
    const port = new MemoryPort({ message: 'Hello' });
    const zombie = Promise.withResolvers<Turn>();
    const execute: Execute = async (turn) => {
      zombie.resolve(turn);
      port.interrupt('shutdown');
      return never();
    };
    const { result } = await run(execute, { port });
    expect(result).toMatchObject({ kind: 'interrupted', reason: { kind: 'shutdown' } });
    await expect((await zombie.promise).working('still here')).rejects.toThrow(TurnEnded);
    expect(port.events).toEqual([]);
  });

  it('is settled when the outcome stood and only the agent did not return', async () => {
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

  it('does not even begin when the signal came first', async () => {
    const port = new MemoryPort({ message: 'Hello' });
    port.interrupt('shutdown');
    const { result } = await run((turn) => turn.complete(), { port });
    expect(result).toMatchObject({ kind: 'interrupted', reason: { kind: 'shutdown' } });
    expect(port.events).toEqual([]);
  });

  it('stops when the task was taken over, though the agent swallowed the refusal', async () => {
    const port = new MemoryPort({ message: 'Hello' });
    port.refuse();
    const { result } = await run(
      forgetful(async (turn) => {
        await turn.working().catch(() => undefined);
      }),
      { port },
    );
    expect(result).toMatchObject({ kind: 'interrupted', reason: { kind: 'taken-over' } });
  });
});

describe('a turn that takes longer than its agent may', () => {
  const text = 'The agent did not finish within 0.03 s.';

  it('is interrupted, and its task fails', async () => {
    const execute: Execute = async (turn) => {
      await delay(60_000, undefined, { signal: turn.signal });
      return turn.complete();
    };
    const { result, said } = await run(execute, { turnTimeoutMs: 30 });
    expect(result).toMatchObject({ kind: 'failed', error: { kind: 'deadline' } });
    expect(said).toBe(text);
  });

  it('fails although the agent does not stop', async () => {
    const { result, said } = await run(never, { turnTimeoutMs: 30 });
    expect([result.kind, said]).toEqual(['failed', text]);
  });

  it('may still say its own last word in the grace', async () => {
    const execute: Execute = async (turn) => {
      await delay(60_000, undefined, { signal: turn.signal }).catch(() => undefined);
      return turn.fail('Too many pages.');
    };
    const { said } = await run(execute, { turnTimeoutMs: 30 });
    expect(said).toBe('Too many pages.');
  });

  it('is given up when not even the failure can be written', async () => {
    const port = new MemoryPort({ message: 'Hello' });
    port.publish = never;
    const { result } = await run(never, { port, turnTimeoutMs: 30 });
    expect(result).toMatchObject({ kind: 'interrupted', reason: { kind: 'deadline' } });
  });
});

describe('a store that cannot write', () => {
  it('is no failure of the agent: the turn is run again', async () => {
    const port = new MemoryPort({ message: 'Hello', isLastAttempt: true });
    const fault = new Error('no connection');
    port.refuse(fault);
    const { result } = await run((turn) => turn.complete(), { port });
    expect(result).toEqual({ kind: 'retry', afterMs: undefined, error: fault });
  });

  it('fails the task when it refuses an event for what it is', async () => {
    const port = new MemoryPort({ message: 'Hello' });
    const publish = port.publish.bind(port);
    const error = new TurnMisuseError('Too many artifacts.');
    port.publish = async (event) => (event.kind === 'artifact' ? Promise.reject(error) : publish(event));
    const { result, said } = await run(
      async (turn) => {
        await turn.artifact({ name: 'One too many' }).finish('x');
        return turn.complete();
      },
      { port },
    );
    expect([result, said]).toEqual([{ kind: 'failed', error }, 'The agent failed unexpectedly.']);
  });

  it('is neither when it breaks under the failure of an agent', async () => {
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
