import { once } from 'node:events';
import { createServer } from 'node:http';
import { TaskState } from '@a2a-js/sdk';
import { AgentEvent } from '@a2a-js/sdk/server';
import { executeTurn, type LongWait } from '@switchyard/agent/runtime';
import { MemoryPort, runTurn } from '@switchyard/agent/testing';
import { cascadingCancelUri, traceContextUri } from '@switchyard/protocol';
import { agentCardSchema, parse } from '@switchyard/protocol/schemas';
import { describe, expect, it } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { executorThat, newTask, pizzaDesk, StepByStep, says, update } from '../../../tests/support/sdk-executors.ts';
import { until } from '../../../tests/support/until.ts';
import { remoteAgent, remoteExecutor } from '../src/index.ts';
import { agentOf, begin } from './remote-turns.ts';
import { ScriptedAgent } from './scripted-agent.ts';
import { SdkHttpServer } from './sdk-http-server.ts';

const sentMessages = ({ requests }: SdkHttpServer) =>
  requests.filter(({ method }) => method === 'SendStreamingMessage');

describe('the request to a remote agent', () => {
  it('contains the message with its id, the accepted output modes, extensions and metadata', async () => {
    await using server = await new SdkHttpServer(pizzaDesk).start();
    const turn = { acceptedOutputModes: ['text/plain'], extensions: ['urn:x', 'urn:y'], metadata: { priority: 1 } };
    const { port, result } = begin(server, {}, turn);
    await result;
    const [sent] = sentMessages(server);
    expect(JSON.parse(sent?.body ?? '').params).toMatchObject({
      message: { messageId: port.input.message.messageId, role: 'ROLE_USER', parts: [{ text: 'Hello' }] },
      configuration: { acceptedOutputModes: ['text/plain'] },
      metadata: { priority: 1 },
    });
    expect(sent?.headers['a2a-extensions']).toBe('urn:x,urn:y');
  });

  it('activates the extensions that the executor uses, if the card lists them', async () => {
    const extensions = [cascadingCancelUri, 'urn:other', traceContextUri].map((uri) => ({ uri }));
    await using server = await new SdkHttpServer(pizzaDesk, { extensions }).start();
    await begin(server, {}, { extensions: ['urn:other'] }).result;
    const [sent] = sentMessages(server);
    expect(sent?.headers['a2a-extensions']).toBe(`urn:other,${cascadingCancelUri},${traceContextUri}`);
  });

  it('has the headers that the settings derive from the turn', async () => {
    await using server = await new SdkHttpServer(pizzaDesk).start();
    const headers = (turn?: { principal: { subject: string } }) => ({
      authorization: `Bearer ${turn?.principal.subject ?? 'card'}`,
    });
    await begin(server, { headers }, { principal: { tenant: '', subject: 'ada', scopes: [] } }).result;
    expect(server.requests.map((request) => request.headers.authorization)).toEqual(['Bearer card', 'Bearer ada']);
  });

  it('has no time limit if the times are Infinity, and times that are no timers are refused', async () => {
    await using server = await new SdkHttpServer(pizzaDesk).start();
    const never = Number.POSITIVE_INFINITY;
    const { port, result } = begin(server, { idleTimeoutMs: never, requestTimeoutMs: never });
    await result;
    expect(port.current.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(() => remoteExecutor({ cardUrl: server.url, authWaitMs: 2 ** 31 })).toThrow(/^authWaitMs is 2147483648/);
  });

  it('uses one remote context for all tasks of a local context', async () => {
    await using server = await new SdkHttpServer(pizzaDesk).start();
    const pineapple = await runTurn(agentOf(server), 'Pineapple');
    await pineapple.newTask('Another one');
    const [first, next] = sentMessages(server).map(({ body }) => JSON.parse(body).params.message.contextId);
    expect(first).toBeUndefined();
    expect(next).toMatch(/^[0-9a-f-]{36}$/);
    expect(next).not.toBe(pineapple.task.contextId);
  });
});

describe('a cancel', () => {
  it.each([true, false])('is passed on, and has the message of the remote agent (streaming: %s)', async (streaming) => {
    await using server = await new SdkHttpServer(new StepByStep(), { streaming }).start();
    const { port, result } = begin(server);
    await port.until(({ history }) => history?.length === 2);
    port.interrupt('canceled');
    await expect(result).resolves.toMatchObject({ kind: 'settled', state: 'TASK_STATE_CANCELED' });
    expect(port.current.status.message?.parts).toEqual([{ text: 'Stopped, as you asked.' }]);
    expect(server.count('CancelTask')).toBe(1);
  });

  it('reaches a remote agent that has not yet answered with its task', async () => {
    const received = Promise.withResolvers<void>();
    const canceled: string[] = [];
    const slow = executorThat(
      async (context, bus) => {
        received.resolve();
        await new Promise((resolve) => setTimeout(resolve, 200));
        bus.publish(AgentEvent.task(newTask(context)));
        while (!canceled.length) await new Promise((resolve) => setTimeout(resolve, 10));
        bus.publish(update(context, TaskState.TASK_STATE_CANCELED));
      },
      async (taskId) => {
        canceled.push(taskId);
      },
    );
    await using server = await new SdkHttpServer(slow).start();
    const { port, result } = begin(server);
    await received.promise;
    port.interrupt('canceled');
    await expect(result).resolves.toMatchObject({ state: 'TASK_STATE_CANCELED' });
    expect(canceled).toHaveLength(1);
  });

  it.each(['shutdown', 'taken-over'] as const)(
    'is not sent when the turn moves to another worker: %s',
    async (kind) => {
      await using server = await new SdkHttpServer(new StepByStep()).start();
      const { port, result } = begin(server);
      await port.until(({ history }) => history?.length === 2);
      port.interrupt(kind);
      await result;
      expect(server.count('CancelTask')).toBe(0);
    },
  );
});

describe('an authorization', () => {
  const guarded = () => {
    const gate = Promise.withResolvers<void>();
    const executor = executorThat(async (context, bus) => {
      bus.publish(AgentEvent.task(context.task ?? newTask(context)));
      if (!context.task)
        bus.publish(update(context, TaskState.TASK_STATE_AUTH_REQUIRED, says(context, 'Log in there')));
      if (!context.task) await gate.promise;
      bus.publish(update(context, TaskState.TASK_STATE_COMPLETED, says(context, 'Welcome')));
    });
    return { executor, open: gate.resolve };
  };

  it('is requested from the client; the turn continues when the remote agent continues', async () => {
    const { executor, open } = guarded();
    await using server = await new SdkHttpServer(executor).start();
    const { port, result } = begin(server);
    await port.until(({ status }) => status.state === 'TASK_STATE_AUTH_REQUIRED');
    open();
    await expect(result).resolves.toMatchObject({ kind: 'settled', state: 'TASK_STATE_COMPLETED' });
  });

  it('that does not come within authWaitMs is awaited by the next message of the client', async () => {
    await using server = await new SdkHttpServer(guarded().executor).start();
    const agent = agentOf(server, { authWaitMs: 50 });
    const asked = await runTurn(agent, 'Let me in');
    expect([asked.state, asked.result.kind, asked.answer]).toEqual([
      'TASK_STATE_AUTH_REQUIRED',
      'waiting-for-auth',
      'Log in there',
    ]);
    expect((await asked.say('I have logged in')).answer).toBe('Welcome');
  });
});

describe('the card of a remote agent', () => {
  it('is announced without its interfaces, and with our capabilities', async () => {
    await using server = await new SdkHttpServer(pizzaDesk, { streaming: false }).start();
    const { card, id, concurrency } = await remoteAgent({ id: 'remote', cardUrl: server.cardUrl });
    expect({ id, concurrency }).toEqual({ id: 'remote', concurrency: 100 });
    expect(card).toEqual({
      name: 'Elsewhere',
      description: 'An agent of the SDK.',
      version: '3.2.1',
      capabilities: { streaming: true, extensions: [] },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [expect.objectContaining({ id: 'help', name: 'Help', description: 'Helps.', tags: ['help'] })],
      supportedInterfaces: [],
    });
  });

  it('can be overridden in the settings (announce)', async () => {
    await using server = await new SdkHttpServer(pizzaDesk).start();
    const announce = { name: 'Ours', description: 'Behind a queue.' };
    expect((await remoteAgent({ id: 'x', cardUrl: server.cardUrl, announce })).card).toMatchObject(announce);
  });

  it('can be of A2A 0.3', async () => {
    await using server = await new SdkHttpServer(pizzaDesk, { version: '0.3' }).start();
    const agent = await remoteAgent({ id: 'old', cardUrl: server.cardUrl });
    expect(agent.card.skills).toMatchObject([{ id: 'help' }]);
  });

  it('can be given in the settings instead of its URL', async () => {
    await using server = await new SdkHttpServer(pizzaDesk).start();
    const card = parse(agentCardSchema, await (await fetch(server.cardUrl)).json());
    const agent = await remoteAgent({ id: 'at-hand', card });
    expect((await runTurn(agentThat(agent.execute), 'Pineapple')).task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('is read again when it is older than cardMaxAgeMs, and names the address of the next turn', async () => {
    await using before = await new SdkHttpServer(pizzaDesk).start();
    await using after = await new SdkHttpServer(pizzaDesk).start();
    let cardUrl: string | undefined = before.cardUrl;
    const cards = createServer(async (_, response) => {
      if (cardUrl === undefined) return void response.writeHead(503).end();
      response.end(await (await fetch(cardUrl)).text());
    }).listen(0, '127.0.0.1');
    await once(cards, 'listening');
    const execute = remoteExecutor({
      cardUrl: `http://127.0.0.1:${Object(cards.address()).port}/card.json`,
      trustedOrigins: [before.url, after.url],
      retryBudgetMs: 200,
      cardMaxAgeMs: 1,
    });
    const ask = async () => (await runTurn(agentThat(execute), 'Pineapple', { maxAttempts: 1 })).state;
    expect(await ask()).toBe('TASK_STATE_COMPLETED');
    cardUrl = undefined;
    expect(await ask()).toBe('TASK_STATE_COMPLETED');
    cardUrl = after.cardUrl;
    await before.kill();
    expect(await ask()).toBe('TASK_STATE_COMPLETED');
    expect([sentMessages(before).length, sentMessages(after).length]).toEqual([2, 1]);
    cards.close();
  });

  it('may have an empty version and modes like "text", as in the Go examples', async () => {
    const modes = { defaultInputModes: ['text'], defaultOutputModes: ['text'] };
    await using server = await new ScriptedAgent({}, { version: '', ...modes }).start();
    const { card } = await remoteAgent({ id: 'go', cardUrl: server.cardUrl, cardTimeoutMs: 0 });
    expect(card).toMatchObject({ version: 'unknown', ...modes });
  });

  it('that cannot be read is shown as what the turn waits for, until it can', async () => {
    await using server = await new SdkHttpServer(pizzaDesk).start();
    const { cardUrl } = server;
    await server.kill();
    const shown: (LongWait | undefined)[] = [];
    const port = Object.assign(new MemoryPort({ message: 'Pineapple' }), {
      showWait: (wait: LongWait | undefined) => shown.push(wait),
    });
    const result = executeTurn(agentThat(remoteExecutor({ cardUrl })), port);
    await until(() => shown.length > 0, { what: 'it is shown' });
    await server.start();
    expect(await result).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    expect(shown[0]).toEqual({ for: 'remote-agent', text: 'it gave no answer (ECONNREFUSED)' });
    expect(shown.at(-1)).toBe(undefined);
  });

  it('that cannot be read until cardTimeoutMs causes an error with its URL', async () => {
    const cardUrl = 'http://127.0.0.1:9/.well-known/agent-card.json';
    await expect(remoteAgent({ id: 'x', cardUrl, cardTimeoutMs: 0 })).rejects.toThrow(
      `The card of the remote agent cannot be read from ${cardUrl}: is the agent running there?`,
    );
  });
});
