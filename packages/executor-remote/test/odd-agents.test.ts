import { executeTurn } from '@switchyard/agent/runtime';
import { MemoryPort, type MemoryTurn } from '@switchyard/agent/testing';
import { describe, expect, it } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { remoteExecutor } from '../src/index.ts';
import { type Script, ScriptedAgent } from './scripted-agent.ts';

const task = (state: string, rest: object = {}) => ({ id: 't', contextId: 'c', status: { state }, ...rest });
const status = (state: string, rest: object = {}) => ({
  statusUpdate: { taskId: 't', contextId: 'c', status: { state, ...rest } },
});
const chunk = (text: string, append = true) => ({
  artifactUpdate: {
    taskId: 't',
    contextId: 'c',
    artifact: { artifactId: 'a', name: 'Log', parts: [{ text }] },
    append,
  },
});
const log = (text: string) => ({ artifacts: [{ artifactId: 'a', name: 'Log', parts: [{ text }] }] });

async function run(script: Script, turn: Partial<MemoryTurn> = {}) {
  await using agent = await new ScriptedAgent(script).start();
  const port = new MemoryPort({ message: 'Hello', ...turn });
  const execute = remoteExecutor({ cardUrl: agent.cardUrl, pollEveryMs: 10, retryBudgetMs: 500 });
  const result = await executeTurn(agentThat(execute), port);
  const parts = port.current.artifacts?.map((artifact) => artifact.parts.map(({ text }) => text));
  return { port, result, parts, called: agent.called, statusText: port.current.status.message?.parts[0]?.text };
}

describe('a remote agent', () => {
  it('whose stream breaks may repeat or omit events: the final state of its task is mirrored', async () => {
    const { parts, result } = await run({
      SendStreamingMessage: [{ events: [{ task: task('TASK_STATE_WORKING') }, chunk('one ', false)] }],
      SubscribeToTask: [
        {
          events: [
            { task: task('TASK_STATE_WORKING', log('one two ')) },
            chunk('two '),
            status('TASK_STATE_COMPLETED'),
          ],
        },
      ],
      GetTask: [
        { result: task('TASK_STATE_WORKING', log('one ')) },
        { result: task('TASK_STATE_COMPLETED', log('one two three')) },
      ],
    });
    expect(result).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    expect(parts).toEqual([['one two three']]);
  });

  it('that refuses to stream, against its card, is polled', async () => {
    const { result, called } = await run({
      SendStreamingMessage: [{ error: -32004 }],
      SendMessage: [{ result: { task: task('TASK_STATE_SUBMITTED') } }],
      GetTask: [{ result: task('TASK_STATE_WORKING') }, { result: task('TASK_STATE_COMPLETED') }],
    });
    expect(result).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    expect(called).toEqual(['SendStreamingMessage', 'SendMessage', 'GetTask', 'GetTask']);
  });

  it('that does not support SubscribeToTask is polled after its stream has ended', async () => {
    const { result } = await run({
      SendStreamingMessage: [{ events: [{ task: task('TASK_STATE_WORKING') }] }],
      SubscribeToTask: [{ error: -32601 }],
      GetTask: [{ result: task('TASK_STATE_WORKING') }, { result: task('TASK_STATE_COMPLETED') }],
    });
    expect(result).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
  });

  it('whose subscriptions always fail is polled until its task ends', async () => {
    const { result, called } = await run({
      SendStreamingMessage: [{ events: [{ task: task('TASK_STATE_WORKING') }] }],
      SubscribeToTask: [{ error: -32603 }],
      GetTask: [...Array(4).fill({ result: task('TASK_STATE_WORKING') }), { result: task('TASK_STATE_COMPLETED') }],
    });
    expect(result).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    expect(called.filter((method) => method === 'GetTask')).toHaveLength(5);
  });

  it('that is polled has each message published once, and its artifacts only when they change', async () => {
    const message = (messageId: string) => ({ messageId, role: 'ROLE_AGENT', parts: [{ text: messageId }] });
    const working = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING', message: message('second') } };
    const history = [message('first'), message('second')];
    const { port } = await run({
      SendMessage: [{ result: { task: { ...working, history, ...log('one') } } }],
      GetTask: [
        { result: { ...working, history, ...log('one') } },
        { result: { ...working, history, ...log('one two') } },
        { result: { ...working, history, ...log('one two') } },
        { result: { ...task('TASK_STATE_COMPLETED', log('one two')), history } },
      ],
    });
    expect(port.current.history?.map(({ parts }) => parts[0]?.text)).toEqual(['Hello', 'first', 'second']);
    expect(port.published.filter(({ kind }) => kind === 'artifact')).toMatchObject([
      { artifact: { parts: [{ text: 'one' }] }, lastChunk: false },
      { artifact: { parts: [{ text: 'one two' }] }, lastChunk: false },
    ]);
  });

  it('may have null for every field that is unset, and fields and events of a later minor version', async () => {
    const nulls = { metadata: null, history: null, artifacts: null, extensions: null };
    const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'Done', metadata: null, filename: null }] };
    const { result, port, parts } = await run({
      SendStreamingMessage: [
        {
          events: [
            { task: { ...task('TASK_STATE_WORKING'), ...nulls } },
            { progressUpdate: { percent: 50 } },
            null,
            {},
            { ...chunk('one', false), statusUpdate: null, later: true },
            {
              statusUpdate: {
                taskId: 't',
                contextId: null,
                status: { state: 'TASK_STATE_COMPLETED', message, timestamp: null },
                metadata: null,
              },
            },
          ],
        },
      ],
    });
    expect(result).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    expect(parts).toEqual([['one']]);
    expect(port.current.status.message?.parts).toEqual([{ text: 'Done' }]);
  });

  it('may answer with several messages in one stream: they are one answer', async () => {
    const message = (messageId: string, text: string) => ({
      message: { messageId, role: 'ROLE_AGENT', parts: [{ text }] },
    });
    const answered = await run({ SendStreamingMessage: [{ events: [message('1', 'Hello'), message('2', 'again')] }] });
    expect(answered.result).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    expect(answered.port.current.status.message?.parts).toEqual([{ text: 'Hello' }, { text: 'again' }]);
    const pieces = await run({ SendStreamingMessage: [{ events: [message('1', 'Hel'), message('1', 'lo')] }] });
    expect(pieces.port.current.status.message?.parts).toEqual([{ text: 'Hello' }]);
  });

  it('may send a message before its task: it belongs to the task', async () => {
    const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'Welcome' }] };
    const { result, port } = await run({
      SendStreamingMessage: [
        { events: [{ message }, { task: task('TASK_STATE_WORKING') }, status('TASK_STATE_COMPLETED')] },
      ],
    });
    expect(result).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    expect(port.current.history?.map(({ parts }) => parts[0]?.text)).toEqual(['Hello', 'Welcome']);
  });

  it('that answers a request for a stream with its whole result is understood', async () => {
    const answer = { SendStreamingMessage: [{ result: { task: task('TASK_STATE_COMPLETED', log('all')) } }] };
    const { result, parts } = await run(answer);
    expect(result).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    expect(parts).toEqual([['all']]);
  });

  it('that does not support ListTasks receives the message again from the second attempt', async () => {
    const script = { SendMessage: [{ result: { task: task('TASK_STATE_COMPLETED') } }] };
    const { called, result } = await run(script, { attempt: 2 });
    expect(result).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    expect(called).toEqual(['ListTasks', 'SendMessage']);
  });

  it('may omit required fields and use unknown states', async () => {
    const { result, port } = await run({
      SendStreamingMessage: [
        {
          events: [
            { task: { id: 't', status: { state: 'TASK_STATE_SUBMITTED' } } },
            {
              statusUpdate: {
                taskId: 't',
                status: { state: 'TASK_STATE_DREAMING', message: { messageId: 'm', parts: [] } },
              },
            },
            { artifactUpdate: { taskId: 't', artifact: { artifactId: 'a', parts: [{}, { text: 'x' }] } } },
            { statusUpdate: { taskId: 't', status: { state: 'TASK_STATE_COMPLETED', timestamp: 'yesterday' } } },
          ],
        },
      ],
    });
    expect(result).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    expect(port.current.artifacts).toMatchObject([{ parts: [{ text: 'x' }] }]);
    expect(port.current.history).toHaveLength(1);
  });

  it('cannot overwrite the metadata in which the executor stores its progress', async () => {
    const metadata = { theirs: 1, 'switchyard.remote': { taskId: 'other' } };
    const { port } = await run({
      SendStreamingMessage: [
        { events: [{ task: task('TASK_STATE_WORKING', { metadata }) }, status('TASK_STATE_COMPLETED')] },
      ],
    });
    expect(port.current.metadata).toMatchObject({ theirs: 1, 'switchyard.remote': { taskId: 't' } });
  });

  it('that loses its task six times fails the task', async () => {
    const { statusText, called } = await run({
      SendMessage: [{ result: { task: task('TASK_STATE_WORKING') } }],
      GetTask: [{ error: -32001 }],
    });
    expect(statusText).toBe('The remote agent no longer knows this task.');
    expect(called.filter((method) => method === 'SendMessage')).toHaveLength(6);
  });

  it('whose answer is not A2A fails the task, with an error that says so', async () => {
    const { statusText, result } = await run({ SendMessage: [{ result: { task: { id: '' } } }] });
    expect(statusText).toContain('The remote agent refused: its answer is not A2A');
    expect(result.kind).toBe('failed');
  });

  it('that asked for an authorization gets each later message with the credential of that message alone', async () => {
    const asks = { task: task('TASK_STATE_AUTH_REQUIRED') };
    const script = {
      SendMessage: [{ result: asks }, { result: { task: task('TASK_STATE_COMPLETED') } }],
      GetTask: [{ result: asks.task }],
    };
    await using agent = await new ScriptedAgent(script).start();
    const execute = remoteExecutor({
      cardUrl: agent.cardUrl,
      pollEveryMs: 5,
      authWaitMs: 20,
      headers: (turn) => ({ Authorization: `Bearer of-${turn?.principal.subject}` }),
    });
    const ada = new MemoryPort({ message: 'Pay', principal: { tenant: '', subject: 'ada', scopes: [] } });
    await executeTurn(agentThat(execute), ada);
    expect(ada.current.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
    expect(JSON.stringify(ada.current)).not.toContain('of-ada');
    const bob = new MemoryPort({
      message: 'Go on',
      task: ada.current,
      principal: { tenant: '', subject: 'bob', scopes: [] },
    });
    await executeTurn(agentThat(execute), bob);
    expect(bob.current.status.state).toBe('TASK_STATE_COMPLETED');
    // A poll of Ada's turn may still arrive after its end.
    expect(agent.headers[agent.called.lastIndexOf('SendMessage')]?.authorization).toBe('Bearer of-bob');
  });
});
