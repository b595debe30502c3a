import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentThat } from '../../../../tests/support/agent-that.ts';
import { type Agent, CallError, type Execute, isDone, RetryableError, type Turn } from '../../src/index.ts';
import { runTurn } from '../../src/testing/index.ts';

const agent = (id: string, execute: Execute): Agent => agentThat(execute, { id });
const kitchen = agent('kitchen', (turn) => turn.complete(`Cooked: ${turn.text}`));

/** Runs an agent that may call the given agents, and returns its answer. */
async function answerOf(execute: Execute, agents: readonly Agent[] = [kitchen]): Promise<string> {
  const { answer, result } = await runTurn(agent('host', execute), 'Hello', { agents });
  if ('error' in result && result.error) throw result.error;
  return answer;
}

describe('a call', () => {
  it('creates a task in the same context that references the task of its caller', async () => {
    const curious = agent('curious', (turn) => {
      const { contextId, referenceTaskIds, role } = turn.message;
      return turn.complete(JSON.stringify({ contextId, referenceTaskIds, role, caller: turn.caller }));
    });
    const answer = await answerOf(
      async (turn) => {
        const reply = await turn.call('curious', 'Who am I?', { referenceTaskIds: ['menu'] });
        const { id, contextId } = turn.task;
        expect(reply).toMatchObject({ kind: 'task', agent: 'curious', state: 'TASK_STATE_COMPLETED' });
        expect(reply.taskId).not.toBe(id);
        expect(JSON.parse(reply.text)).toEqual({
          contextId,
          referenceTaskIds: [id, 'menu'],
          role: 'ROLE_USER',
          caller: { agent: 'host', taskId: id, depth: 1 },
        });
        return turn.complete('all as expected');
      },
      [curious],
    );
    expect(answer).toBe('all as expected');
  });

  it('has as its text that of the artifacts of a completed task, or else of the last message', async () => {
    const author = agent('author', async (turn) => {
      await turn.artifact({ name: 'One' }).finish('first');
      await turn.artifact({ name: 'Two' }).finish('second');
      return turn.text === 'finish' ? turn.complete('There you are') : turn.fail('Out of ink');
    });
    const texts: string[] = [];
    await answerOf(
      async (turn) => {
        for (const text of ['finish', 'fail']) texts.push((await turn.call('author', text)).text);
        texts.push((await turn.call('kitchen', 'pizza')).text);
        return turn.complete();
      },
      [author, kitchen],
    );
    expect(texts).toEqual(['first\n\nsecond', 'Out of ink', 'Cooked: pizza']);
  });

  it('returns the parts, the artifacts and the first data that the agent completed with', async () => {
    const price = { data: { cents: 900 } };
    const clerk = agent('clerk', async (turn) => {
      if (turn.text === 'artifact') await turn.artifact({ name: 'Price' }).finish([{ text: 'A price' }, price]);
      if (turn.text === 'message') return turn.reply([{ text: 'There you are' }, price]);
      if (turn.text === 'question') return turn.requireInput([{ text: 'Which?' }, price]);
      return turn.complete(turn.text === 'artifact' ? 'There you are' : [{ text: 'There you are' }, price]);
    });
    const replies = async (turn: Turn) => [
      await turn.call('clerk', 'task'),
      await turn.call('clerk', 'artifact'),
      await turn.call('clerk', 'message'),
      await turn.call('clerk', 'question'),
    ];
    const answer = await answerOf(
      async (turn) => {
        const seen = (await replies(turn)).map(({ data, parts, artifacts }) => ({ data, parts, artifacts }));
        // A retried turn must read the same from the store.
        if (turn.attempt === 1) throw new RetryableError('Not yet.');
        return turn.complete(JSON.stringify(seen));
      },
      [clerk],
    );
    const parts = [{ text: 'There you are' }, price];
    const [artifact] = [{ artifactId: expect.any(String), name: 'Price', parts: [{ text: 'A price' }, price] }];
    expect(JSON.parse(answer)).toEqual([
      { data: { cents: 900 }, parts, artifacts: [] },
      { data: { cents: 900 }, parts: [{ text: 'There you are' }], artifacts: [artifact] },
      { data: { cents: 900 }, parts, artifacts: [] },
      { parts: [{ text: 'Which?' }, price], artifacts: [] },
    ]);
  });

  it('with a schema returns data of its type, or fails', async () => {
    const clerk = agent('clerk', (turn) =>
      turn.complete(turn.text === 'price' ? { data: { cents: 900 } } : 'No price'),
    );
    const schema = z.object({ cents: z.number() });
    await answerOf(
      async (turn) => {
        const { data } = await turn.call('clerk', 'price', { schema });
        expect(data?.cents.toFixed(1)).toBe('900.0');
        const other = turn.call('clerk', 'price', { schema: z.object({ cents: z.string() }) });
        await expect(other).rejects.toMatchObject({
          kind: 'unexpected-data',
          message: expect.stringContaining('cents:'),
        });
        await expect(turn.call('clerk', 'none', { schema })).rejects.toMatchObject({ kind: 'unexpected-data' });
        return turn.complete();
      },
      [clerk],
    );
  });

  it('returns the plain message of an agent that answers with one', async () => {
    const oracle = agent('oracle', (turn) => turn.reply('42'));
    await answerOf(
      async (turn) => {
        const reply = await turn.call('oracle', 'What is the answer?');
        expect(reply).toMatchObject({ kind: 'message', text: '42', message: { parts: [{ text: '42' }] } });
        return turn.complete();
      },
      [oracle],
    );
  });

  it('is not sent again by a retried turn, unless its content differs', async () => {
    const orders: string[] = [];
    const cook = agent('cook', (turn) => {
      orders.push(turn.text);
      return turn.complete(`dish ${orders.length}`);
    });
    const answer = await answerOf(
      async (turn) => {
        const pizza = await turn.call('cook', 'pizza');
        const [a, b] = await Promise.all([turn.call('cook', 'pasta'), turn.call('cook', 'pasta')]);
        const salad = await turn.call('cook', `salad ${turn.attempt}`);
        if (turn.isLastAttempt) return turn.complete([pizza, a, b, salad].map(({ text }) => text).join());
        throw new RetryableError('Not yet.');
      },
      [cook],
    );
    expect(orders).toEqual(['pizza', 'pasta', 'pasta', 'salad 1', 'salad 2', 'salad 3']);
    expect(answer).toBe('dish 1,dish 2,dish 3,dish 6');
  });

  it('returns the same reply to a retried turn, although the called task has changed since', async () => {
    const waiter = agent('waiter', (turn) =>
      turn.history.length < 3 ? turn.requireInput('Which size?') : turn.complete(`One ${turn.text}`),
    );
    const states: string[] = [];
    const answer = await answerOf(
      async (turn) => {
        const asked = await turn.call('waiter', 'A pizza');
        states.push(asked.state);
        const served = await turn.call('waiter', 'large', { taskId: asked.taskId });
        if (turn.attempt === 1) throw new RetryableError('Not yet.');
        expect(served.taskId).toBe(asked.taskId);
        return turn.complete(served.text);
      },
      [waiter],
    );
    expect(states).toEqual(['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_INPUT_REQUIRED']);
    expect(answer).toBe('One large');
  });

  it('with wait: false returns at once; join returns its reply', async () => {
    const gate = Promise.withResolvers<void>();
    const slow = agent('slow', async (turn) => {
      await gate.promise;
      return turn.complete('at last');
    });
    const answer = await answerOf(
      async (turn) => {
        const call = await turn.call('slow', 'Take your time', { wait: false });
        expect(call.state).toBe('TASK_STATE_SUBMITTED');
        gate.resolve();
        return turn.complete((await turn.join(call)).text);
      },
      [slow],
    );
    expect(answer).toBe('at last');
  });

  it('with wait: false keeps its schema for each join', async () => {
    const seller = agent('seller', async (turn) => {
      await turn.acknowledge('Let me see.');
      return turn.complete({ data: { cents: turn.text === 'salami' ? '900' : 'many' } });
    });
    const schema = z.object({ cents: z.coerce.number() });
    const answer = await answerOf(
      async (turn) => {
        const ask = (what: string) => turn.call('seller', what, { wait: false, schema });
        const [known, unknown] = await Promise.all([ask('salami'), ask('a yacht')]);
        const cents = [(await turn.join(known)).data?.cents, (await turn.join({ ...known })).data?.cents];
        const fromStep = await turn.step('call', () => turn.call('seller', 'salami', { wait: false }));
        cents.push((await turn.join(fromStep, { schema })).data?.cents);
        await expect(turn.join(unknown)).rejects.toMatchObject({ kind: 'unexpected-data' });
        return turn.complete(JSON.stringify(cents));
      },
      [seller],
    );
    expect(answer).toBe('[900,900,900]');
  });

  it('returns a reply also if the called agent rejects it', async () => {
    const proud = agent('proud', (turn) => turn.reject('Not my job'));
    await answerOf(
      async (turn) => {
        const reply = await turn.call('proud', 'Do it');
        expect([reply.state, reply.text, isDone(reply)]).toEqual(['TASK_STATE_REJECTED', 'Not my job', false]);
        return turn.complete();
      },
      [proud],
    );
  });

  it('is refused with a timeoutMs that is longer than a timer, as are a join and a conversation', async () => {
    const timeoutMs = 2 ** 31;
    const misuse = { name: 'TurnMisuseError', message: expect.stringContaining('timeoutMs') };
    await answerOf(async (turn) => {
      expect(() => turn.call('target', 'Hello', { timeoutMs })).toThrow(expect.objectContaining(misuse));
      expect(() => turn.join({ agent: 'target', taskId: 't-1' }, { timeoutMs })).toThrow(
        expect.objectContaining(misuse),
      );
      const conversation = turn.holdConversation('target', { message: 'Hello', reply: () => '', timeoutMs });
      await expect(conversation).rejects.toMatchObject(misuse);
      return turn.complete();
    }, []);
  });

  it('fails after timeoutMs, also in a retried turn, and its task is canceled', async () => {
    const states: string[] = [];
    const sleepy = agent('sleepy', async (turn) => {
      await new Promise((_, reject) => turn.signal.addEventListener('abort', () => reject(turn.signal.reason)));
      return turn.complete();
    });
    await answerOf(
      async (turn) => {
        const late = turn.call('sleepy', 'Wake up', { timeoutMs: 20 });
        await expect(late).rejects.toMatchObject({ name: 'CallError', kind: 'timed-out', agent: 'sleepy' });
        const [task] = await turn.otherTasks();
        states.push(task?.task.status.state ?? '');
        const joined = turn.join({ agent: 'sleepy', taskId: task?.task.id ?? '' }, { timeoutMs: 20 });
        expect((await joined).state).toBe('TASK_STATE_CANCELED');
        if (turn.attempt === 1) throw new RetryableError('Not yet.');
        return turn.complete();
      },
      [sleepy],
    );
    expect(states).toEqual(['TASK_STATE_CANCELED', 'TASK_STATE_CANCELED']);
  });

  it.each([
    ['an unknown agent', (turn) => turn.call('nobody', 'Hello'), 'unknown-agent'],
    ['an unknown task', (turn) => turn.call('kitchen', 'Hello', { taskId: 'none' }), 'missing'],
  ] satisfies [string, (turn: Parameters<Execute>[0]) => Promise<unknown>, string][])(
    'to %s is refused',
    async (_, call, kind) => {
      await answerOf(async (turn) => {
        const refused = call(turn);
        await expect(refused).rejects.toBeInstanceOf(CallError);
        await expect(refused).rejects.toMatchObject({ kind });
        return turn.complete();
      });
    },
  );

  it('that is refused has the line of the agent in its stack', async () => {
    await answerOf(async function theCaller(turn) {
      const refused: unknown = await turn.call('nobody', 'Hello').catch((error: unknown) => error);
      expect(refused instanceof CallError && refused.stack).toMatch(/at .*theCaller .*calls\.test\.ts:\d+/);
      return turn.complete();
    });
  });

  it('is refused at a depth of more than 8 nested calls', async () => {
    const depths: number[] = [];
    const narcissus: Agent = agent('narcissus', async (turn) => {
      depths.push(turn.caller?.depth ?? 0);
      try {
        return turn.complete((await turn.call('narcissus', 'Who is the fairest?')).text);
      } catch (error) {
        if (!(error instanceof CallError)) throw error;
        return turn.complete(error.message);
      }
    });
    const { answer } = await runTurn(narcissus, 'Mirror', { agents: [narcissus] });
    expect(depths).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(answer).toMatch(/agents call each other in too long a chain/);
  });

  it('is canceled with its caller', async () => {
    const begun = Promise.withResolvers<void>();
    const reasons: string[] = [];
    const worker = agent('worker', async (turn) => {
      begun.resolve();
      await new Promise<void>((resolve) => turn.signal.addEventListener('abort', () => resolve()));
      reasons.push(turn.signal.reason.kind);
      throw turn.signal.reason;
    });
    const caller = agent('host', async (turn) => {
      const call = turn.call('worker', 'work');
      await begun.promise;
      await turn.working('It has begun');
      return turn.complete((await call).text);
    });
    const { result, calls } = await runTurn(caller, 'Go', { agents: [worker], cancelAfter: 1 });
    expect(result).toMatchObject({ kind: 'interrupted', reason: { kind: 'canceled' } });
    expect([reasons, calls[0]?.task.status.state]).toEqual([['canceled'], 'TASK_STATE_CANCELED']);
  });
});

describe('a question of a called agent', () => {
  const waiter = agent('waiter', (turn) =>
    turn.history.length < 3 ? turn.requireInput('Which size?') : turn.complete(`One ${turn.text}`),
  );
  const host = agent('host', async (turn) => {
    const waiting = turn.waitingCall;
    const reply = waiting
      ? await turn.call(waiting.agent, turn.text, { taskId: waiting.taskId })
      : await turn.call('waiter', turn.text);
    return isDone(reply) ? turn.complete(reply.text) : turn.askClient(reply);
  });

  it('is passed on to the client, and the answer of the client to the called agent', async () => {
    const asked = await runTurn(host, 'A pizza', { agents: [waiter] });
    expect([asked.answer, asked.state]).toEqual(['Which size?', 'TASK_STATE_INPUT_REQUIRED']);
    const served = await asked.say('large');
    expect([served.answer, served.state]).toEqual(['One large', 'TASK_STATE_COMPLETED']);
  });

  it('can only be passed on if the reply asks for input', async () => {
    await answerOf(async (turn) => {
      const reply = await turn.call('kitchen', 'pizza');
      await expect(turn.askClient(reply)).rejects.toThrow('A reply in TASK_STATE_COMPLETED asks for nothing');
      return turn.complete();
    });
  });
});
