import { TaskState } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutor, type RequestContext } from '@a2a-js/sdk/server';
import { executeTurn, faultOf } from '@switchyard/agent/runtime';
import { MemoryPort, type MemoryTurn, runTurn, type TestedTurn } from '@switchyard/agent/testing';
import { describe, expect, it } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { observable, seen } from '../../../tests/support/observable.ts';
import {
  executorThat,
  newTask,
  pizzaDesk,
  StepByStep,
  samples,
  says,
  status,
  text,
  update,
} from '../../../tests/support/sdk-executors.ts';
import { SdkServer } from '../../../tests/support/sdk-server.ts';
import { sdkExecutor } from '../src/index.ts';

const hosted = (executor: AgentExecutor) => agentThat(sdkExecutor(executor));

function begin(executor: AgentExecutor, turn: Partial<MemoryTurn> = {}) {
  const port = new MemoryPort({ message: 'Hello', ...turn });
  const result = executeTurn(agentThat(sdkExecutor(executor)), port, { graceMs: 1_000 });
  return { port, result };
}

describe('an executor of the SDK produces the same task here as on the server of the SDK', () => {
  it.each(Object.keys(samples))('%s', async (name) => {
    const executor = samples[name] ?? pizzaDesk;
    const theirs = await new SdkServer(executor).say('Hello');
    const ours = await runTurn(hosted(executor), 'Hello');
    if (theirs.task) expect(observable(ours.task)).toEqual(observable(theirs.task));
    else
      expect(theirs.message && seen(theirs.message)).toEqual(
        ours.task.status.message && seen(ours.task.status.message),
      );
  });

  it('except that the message of the last status is always in the history', async () => {
    const executor = executorThat(async (context, bus) => {
      const end = status(TaskState.TASK_STATE_COMPLETED, says(context, 'Done'));
      bus.publish(AgentEvent.task({ ...newTask(context), status: end }));
    });
    expect((await new SdkServer(executor).say('Hello')).task?.history).toHaveLength(1);
    expect((await runTurn(hosted(executor), 'Hello')).task.history).toMatchObject([{}, { parts: [{ text: 'Done' }] }]);
  });

  it('in several turns', async () => {
    const theirs = new SdkServer(pizzaDesk);
    let ours: TestedTurn | undefined;
    for (const message of ['I want a pizza', 'Something good', 'Do you have pineapple?']) {
      const there = await theirs.say(message);
      ours = await (ours?.say(message) ?? runTurn(hosted(pizzaDesk), message));
      expect(there.task && observable(there.task)).toEqual(observable(ours.task));
    }
    expect(ours?.task.history).toHaveLength(6);
  });
});

/** A text, a URL, or bytes as text. */
const contentText = (content: { readonly value?: unknown } | undefined): string =>
  content?.value instanceof Uint8Array ? Buffer.from(content.value).toString() : String(content?.value);

describe('an executor of the SDK', () => {
  it('receives the principal, the extensions and the options of the request', async () => {
    let context: RequestContext | undefined;
    const executor = executorThat(async (given, bus) => {
      context = given;
      bus.publish(AgentEvent.message(says(given, 'ok')));
    });
    await begin(executor, {
      principal: { tenant: 'acme', subject: 'ada', scopes: [] },
      extensions: ['urn:x'],
      acceptedOutputModes: ['text/plain'],
      metadata: { k: 1 },
    }).result;
    expect(context?.request).toMatchObject({
      metadata: { k: 1 },
      configuration: { acceptedOutputModes: ['text/plain'] },
    });
    expect(context?.context).toMatchObject({ tenant: 'acme', user: { userName: 'ada', isAuthenticated: true } });
    expect([...(context?.context.requestedExtensions ?? [])]).toEqual(['urn:x']);
    expect(context?.task).toBeUndefined();
  });

  it('receives the content of files of this deployment, whose URLs it cannot read', async () => {
    const seen: unknown[] = [];
    const sdk = executorThat(async (context, bus) => {
      seen.push(context.userMessage.parts.map(({ content }) => [content?.$case, contentText(content)]));
      bus.publish(AgentEvent.message(says(context, 'ok')));
    });
    const host = agentThat(async (turn) => {
      const part = await turn.artifact({ name: 'Report' }).file('content');
      await turn.call('sdk', part);
      return turn.complete();
    });
    await runTurn(host, 'Go', { agents: [agentThat(sdkExecutor(sdk), { id: 'sdk' })] });
    expect(seen).toEqual([[['raw', 'content']]]);
  });

  it('receives the tasks that its message references', async () => {
    const seen: unknown[] = [];
    const sdk = executorThat(async (context, bus) => {
      seen.push(context.referenceTasks?.map(({ status }) => status?.message?.parts[0]?.content?.value));
      bus.publish(AgentEvent.message(says(context, 'ok')));
    });
    const host = agentThat(async (turn) => {
      const design = await turn.call('design', 'Design it');
      await turn.call('sdk', 'Build it', { referenceTaskIds: [design.taskId] });
      return turn.complete();
    });
    const design = agentThat((turn) => turn.complete('A design'), { id: 'design' });
    await runTurn(host, 'Go', { agents: [design, agentThat(sdkExecutor(sdk), { id: 'sdk' })] });
    // The second one is the task of the caller, which has no status message yet.
    expect(seen).toEqual([['A design', undefined]]);
  });

  it('receives no task when its first message is retried', async () => {
    const tasks: unknown[] = [];
    const executor = executorThat(async (context, bus) => {
      tasks.push(context.task);
      bus.publish(AgentEvent.task(newTask(context)));
      bus.publish(update(context, TaskState.TASK_STATE_COMPLETED));
    });
    const { port } = begin(executor);
    await begin(executor, { task: port.current, message: port.input.message, attempt: 2 }).result;
    expect(tasks).toEqual([undefined, undefined]);
  });

  it('does not receive later messages of the client in the history', async () => {
    const history = [
      { messageId: '1', role: 'ROLE_USER' as const, parts: [{ text: 'I want a pizza' }] },
      { messageId: '2', role: 'ROLE_USER' as const, parts: [{ text: 'Something good' }] },
      { messageId: '3', role: 'ROLE_USER' as const, parts: [{ text: 'With pineapple!' }] },
      { messageId: '4', role: 'ROLE_AGENT' as const, parts: [{ text: 'What kind?' }] },
    ];
    const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' as const }, history };
    const { port, result } = begin(pizzaDesk, { task, ...(history[1] && { message: history[1] }) });
    await result;
    expect(port.current.status.message?.parts).toEqual([{ text: 'Which one?' }]);
  });

  it('fails its task with a clear error when it returns while the task is working', async () => {
    const { port, result } = begin(
      executorThat(async (context, bus) => {
        bus.publish(AgentEvent.task(newTask(context)));
        bus.publish(update(context, TaskState.TASK_STATE_WORKING));
      }),
    );
    await expect(result).resolves.toMatchObject({
      kind: 'failed',
      error: { cause: { message: expect.stringContaining('left its task in TASK_STATE_WORKING') } },
    });
    const failed = await result;
    expect('error' in failed && faultOf(failed.error).kind).toBe('misuse');
    expect(port.current.status).toMatchObject({
      state: 'TASK_STATE_FAILED',
      message: { parts: [{ text: 'The agent ended its turn without an outcome.' }] },
    });
  });

  it('ends its turn when it says that it has finished, though it does not return', async () => {
    const never = (state: TaskState) =>
      begin(
        executorThat(async (context, bus) => {
          bus.publish(AgentEvent.task(newTask(context)));
          bus.publish(update(context, state));
          bus.finished();
          bus.publish(update(context, TaskState.TASK_STATE_REJECTED));
          await new Promise(() => undefined);
        }),
      );
    const ended = never(TaskState.TASK_STATE_COMPLETED);
    await expect(ended.result).resolves.toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    const left = never(TaskState.TASK_STATE_WORKING);
    await expect(left.result).resolves.toMatchObject({ kind: 'failed' });
    expect(left.port.current.status.message?.parts).toEqual([{ text: 'The agent ended its turn without an outcome.' }]);
  });

  it('may return while its task waits for an authorization', async () => {
    const { port, result } = begin(
      executorThat(async (context, bus) => {
        bus.publish(AgentEvent.task(newTask(context)));
        bus.publish(update(context, TaskState.TASK_STATE_AUTH_REQUIRED, says(context, 'Log in')));
      }),
    );
    await expect(result).resolves.toEqual({ kind: 'waiting-for-auth' });
    expect(port.current.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
  });

  it('that throws does not reveal its error to the client', async () => {
    const { port, result } = begin(
      executorThat(async () => {
        throw new Error('password: hunter2');
      }),
    );
    await expect(result).resolves.toMatchObject({ kind: 'failed', error: { message: 'password: hunter2' } });
    expect(JSON.stringify(port.current)).not.toContain('hunter2');
  });

  it('that publishes an invalid event fails with an error that names the wrong field', async () => {
    const { result } = begin(
      executorThat(async (context, bus) => {
        bus.publish(
          AgentEvent.artifactUpdate({
            taskId: context.taskId,
            contextId: '',
            artifact: undefined,
            append: false,
            lastChunk: false,
            metadata: undefined,
          }),
        );
      }),
    );
    await expect(result).resolves.toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining('artifact') },
    });
  });

  it('confirms a cancel with its own message', async () => {
    const { port, result } = begin(new StepByStep());
    await port.until(({ status }) => status.state === 'TASK_STATE_WORKING');
    port.interrupt('canceled');
    await expect(result).resolves.toMatchObject({ kind: 'settled', state: 'TASK_STATE_CANCELED' });
    expect(port.current.status.message?.parts).toEqual([{ text: 'Stopped, as you asked.' }]);
  });

  it.each(['shutdown', 'taken-over'] as const)('is stopped without a message to the client: %s', async (kind) => {
    const { port, result } = begin(new StepByStep());
    await port.until(({ status }) => status.state === 'TASK_STATE_WORKING');
    port.interrupt(kind);
    await expect(result).resolves.toMatchObject({ kind: 'interrupted', reason: { kind } });
    expect(port.current.status.state).toBe('TASK_STATE_WORKING');
  });

  it('receives its own events on the bus', async () => {
    const received: string[] = [];
    const { result } = begin(
      executorThat(async (context, bus) => {
        bus.on('event', ({ kind }) => received.push(kind));
        bus.on('finished', () => received.push('finished'));
        bus.publish(AgentEvent.message({ ...says(context, ''), parts: [text('ok')] }));
      }),
    );
    await result;
    expect(received).toEqual(['message', 'finished']);
  });
});

it('What is no executor of the SDK is refused when the executor is made', () => {
  expect(() => sdkExecutor({} as AgentExecutor)).toThrow(
    'sdkExecutor needs an executor of @a2a-js/sdk, with execute()',
  );
});
