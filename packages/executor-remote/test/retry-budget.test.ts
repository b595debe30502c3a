import { TaskState } from '@a2a-js/sdk';
import { AgentEvent } from '@a2a-js/sdk/server';
import { type MemoryPort, runTurn } from '@switchyard/agent/testing';
import type { RequestHandler } from 'express';
import { describe, expect, it } from 'vitest';
import { executorThat, newTask, pizzaDesk, says, text, update } from '../../../tests/support/sdk-executors.ts';
import { agentOf, begin } from './remote-turns.ts';
import { SdkHttpServer } from './sdk-http-server.ts';

/** An executor that publishes a chunk, waits until `open` is called, publishes another chunk, and completes. */
function gated() {
  const gate = Promise.withResolvers<void>();
  const runs: string[] = [];
  const executor = executorThat(async (context, bus) => {
    const { taskId, contextId } = context;
    runs.push(context.userMessage.messageId);
    bus.publish(AgentEvent.task(newTask(context)));
    bus.publish(update(context, TaskState.TASK_STATE_WORKING, says(context, `At work, for the ${runs.length}. time`)));
    const artifactId = crypto.randomUUID();
    const chunk = (content: string, append: boolean) => {
      const artifact = {
        artifactId,
        name: 'Log',
        description: '',
        parts: [text(content)],
        metadata: undefined,
        extensions: [],
      };
      bus.publish(
        AgentEvent.artifactUpdate({ taskId, contextId, artifact, append, lastChunk: append, metadata: undefined }),
      );
    };
    chunk('one ', false);
    await gate.promise;
    chunk('two', true);
    bus.publish(update(context, TaskState.TASK_STATE_COMPLETED, says(context, 'Done')));
  });
  return { executor, runs, open: gate.resolve };
}

const firstChunk = ({ artifacts }: MemoryPort['current']) => artifacts?.[0]?.parts[0]?.text === 'one ';
const log = ({ current }: MemoryPort) => current.artifacts?.map(({ parts }) => parts.map((part) => part.text).join(''));

describe('the message to a remote agent', () => {
  it('is not sent again by the next attempt, which continues with the same remote task', async () => {
    const { executor, runs, open } = gated();
    await using server = await new SdkHttpServer(executor).start();
    const { port, result } = begin(server);
    await port.until(firstChunk);
    port.interrupt('shutdown');
    await expect(result).resolves.toMatchObject({ kind: 'interrupted', reason: { kind: 'shutdown' } });
    const next = begin(server, {}, { task: port.current, message: port.input.message, attempt: 2 });
    await next.port.until(({ status }) => status.state === 'TASK_STATE_WORKING');
    open();
    await expect(next.result).resolves.toMatchObject({ kind: 'settled', state: 'TASK_STATE_COMPLETED' });
    expect(runs).toHaveLength(1);
    expect(log(next.port)).toEqual(['one two']);
    expect(next.port.current.history?.map(({ parts }) => parts[0]?.text)).toEqual([
      'Hello',
      'At work, for the 1. time',
      'Done',
    ]);
  });

  it.each([true, false])(
    'is not sent again if the attempt before crashed after sending it (streaming: %s)',
    async (streaming) => {
      const { executor, runs, open } = gated();
      await using server = await new SdkHttpServer(executor, { streaming }).start();
      const { port, result } = begin(server);
      await port.until(firstChunk);
      port.interrupt('shutdown');
      await result;
      open();
      const again = begin(server, {}, { task: port.input.task, message: port.input.message, attempt: 2 });
      await expect(again.result).resolves.toMatchObject({ state: 'TASK_STATE_COMPLETED' });
      expect(runs).toHaveLength(1);
      expect(log(again.port)).toEqual(['one two']);
    },
  );

  it('is not sent again if the attempt before crashed after continuing a remote task with it', async () => {
    await using server = await new SdkHttpServer(pizzaDesk).start();
    const { task } = await runTurn(agentOf(server), 'I want a pizza');
    const { port, result } = begin(server, {}, { task, message: 'With pineapple' });
    await result;
    const again = begin(server, {}, { task: port.input.task, message: port.input.message, attempt: 2 });
    await expect(again.result).resolves.toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    expect(server.count('SendStreamingMessage')).toBe(2);
  });

  it('is sent again to an agent that was unreachable', async () => {
    await using server = await new SdkHttpServer(pizzaDesk).start();
    const agent = agentOf(server);
    await runTurn(agent, 'I want a pizza');
    await server.kill();
    const answer = runTurn(agent, 'With pineapple');
    await server.start();
    expect((await answer).task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(server.count('SendStreamingMessage')).toBe(2);
  });
});

describe('a remote agent that', () => {
  it('loses its connections is subscribed to again, and its task continues', async () => {
    const { executor, runs, open } = gated();
    await using server = await new SdkHttpServer(executor).start();
    const { port, result } = begin(server);
    await port.until(firstChunk);
    server.cut();
    await server.until('SubscribeToTask');
    open();
    await expect(result).resolves.toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    expect(runs).toHaveLength(1);
    expect(log(port)).toEqual(['one two']);
    expect(port.current.history).toHaveLength(3);
  });

  it('restarts without its tasks receives the message again; its new artifacts replace the old ones', async () => {
    const { executor, runs, open } = gated();
    await using server = await new SdkHttpServer(executor).start();
    const { port, result } = begin(server);
    await port.until(firstChunk);
    await server.kill();
    open();
    await server.start();
    await expect(result).resolves.toMatchObject({ kind: 'settled', state: 'TASK_STATE_COMPLETED' });
    expect(runs).toEqual([port.input.message.messageId, port.input.message.messageId]);
    expect(log(port)).toEqual(['one two']);
  });

  it('forgets its task before a follow-up message fails the task', async () => {
    await using server = await new SdkHttpServer(pizzaDesk).start();
    const asked = await runTurn(agentOf(server), 'I want a pizza');
    await server.kill();
    await server.start();
    const { task, answer } = await asked.say('With pineapple');
    expect([task.status.state, answer]).toEqual(['TASK_STATE_FAILED', 'The remote agent no longer knows this task.']);
  });

  it('is unreachable for retryBudgetMs makes the attempt fail with a RetryableError', async () => {
    await using server = await new SdkHttpServer(pizzaDesk).start();
    const agent = agentOf(server, { retryBudgetMs: 300 });
    await runTurn(agent, 'I want a pizza');
    await server.kill();
    const { result, answer } = await runTurn(agent, 'Hello', { maxAttempts: 1 });
    expect(result).toMatchObject({
      kind: 'failed',
      error: { name: 'RetryableError', message: 'The remote agent cannot be reached.' },
    });
    expect(answer).toBe('The agent gave up after 1 attempt: The remote agent cannot be reached.');
  });

  it('cannot serve its card yet is waited for', async () => {
    let refusals = 3;
    const starting: RequestHandler = (request, response, next) => {
      if (request.method !== 'GET' || refusals-- <= 0) next();
      else response.sendStatus(503);
    };
    await using server = await new SdkHttpServer(pizzaDesk, { before: starting }).start();
    const { result } = begin(server, {}, { message: 'Pineapple' });
    await expect(result).resolves.toMatchObject({ kind: 'settled', state: 'TASK_STATE_COMPLETED' });
  });

  it('cannot serve its card in time makes the attempt fail; the next attempt reads the card', async () => {
    await using server = await new SdkHttpServer(pizzaDesk).start();
    const agent = agentOf(server, { retryBudgetMs: 150 });
    await server.kill();
    expect((await runTurn(agent, 'Hello', { maxAttempts: 1 })).answer).toContain('cannot be reached');
    await server.start();
    expect((await runTurn(agent, 'Pineapple')).task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('answers 429 receives the message again after its Retry-After', async () => {
    let refusals = 2;
    const busy: RequestHandler = (request, response, next) => {
      if (request.method === 'GET' || refusals-- <= 0) next();
      else response.status(429).set('Retry-After', '0').send('<html>Too many requests</html>');
    };
    await using server = await new SdkHttpServer(pizzaDesk, { before: busy }).start();
    const { port, result } = begin(server, {}, { message: 'Pineapple' });
    await expect(result).resolves.toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    expect(port.current.history).toHaveLength(2);
    expect(server.count('SendStreamingMessage')).toBe(3);
  });

  it('refuses the message fails the task with its error text', async () => {
    const refusing: RequestHandler = ({ method, body }, response, next) => {
      if (method === 'GET') next();
      else
        response.json({ jsonrpc: '2.0', id: body.id, error: { code: -32005, message: 'No such content type here' } });
    };
    await using server = await new SdkHttpServer(pizzaDesk, { before: refusing }).start();
    const { port, result } = begin(server);
    await expect(result).resolves.toMatchObject({ kind: 'failed' });
    expect(port.current.status.message?.parts[0]?.text).toBe('The remote agent refused: No such content type here');
  });

  it('sends nothing for idleTimeoutMs has its task read (GetTask), and its stream continues', async () => {
    const { executor, open } = gated();
    await using server = await new SdkHttpServer(executor).start();
    const { port, result } = begin(server, { idleTimeoutMs: 150 });
    await port.until(firstChunk);
    await server.until('GetTask');
    open();
    await expect(result).resolves.toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    expect(log(port)).toEqual(['one two']);
  });
});
