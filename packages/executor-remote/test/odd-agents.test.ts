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
  return { port, result, parts, called: agent.called, said: port.current.status.message?.parts[0]?.text };
}

describe('a remote agent', () => {
  it('whose stream breaks may repeat or omit events: the final state of its task counts', async () => {
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

  it('that claims to stream, and does not, is polled', async () => {
    const { result, called } = await run({
      SendStreamingMessage: [{ error: -32004 }],
      SendMessage: [{ result: { task: task('TASK_STATE_SUBMITTED') } }],
      GetTask: [{ result: task('TASK_STATE_WORKING') }, { result: task('TASK_STATE_COMPLETED') }],
    });
    expect(result).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    expect(called).toEqual(['SendStreamingMessage', 'SendMessage', 'GetTask', 'GetTask']);
  });

  it('whose streams cannot be taken up again is polled', async () => {
    const { result } = await run({
      SendStreamingMessage: [{ events: [{ task: task('TASK_STATE_WORKING') }] }],
      SubscribeToTask: [{ error: -32601 }],
      GetTask: [{ result: task('TASK_STATE_WORKING') }, { result: task('TASK_STATE_COMPLETED') }],
    });
    expect(result).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
  });

  it('whose streams always break is polled, and no more often than it may be', async () => {
    const { result, called } = await run({
      SendStreamingMessage: [{ events: [{ task: task('TASK_STATE_WORKING') }] }],
      SubscribeToTask: [{ error: -32603 }],
      GetTask: [...Array(4).fill({ result: task('TASK_STATE_WORKING') }), { result: task('TASK_STATE_COMPLETED') }],
    });
    expect(result).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    expect(called.filter((method) => method === 'GetTask')).toHaveLength(5);
  });

  it('that is polled has each message once, and its artifacts only when they have changed', async () => {
    const word = (messageId: string) => ({ messageId, role: 'ROLE_AGENT', parts: [{ text: messageId }] });
    const working = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING', message: word('second') } };
    const history = [word('first'), word('second')];
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

  it('that does not list its tasks gets the message again from an attempt that cannot know', async () => {
    const script = { SendMessage: [{ result: { task: task('TASK_STATE_COMPLETED') } }] };
    const { called, result } = await run(script, { attempt: 2 });
    expect(result).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    expect(called).toEqual(['ListTasks', 'SendMessage']);
  });

  it('may leave out what it should say: contexts, roles, contents of messages', async () => {
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

  it('cannot write our notes of it', async () => {
    const metadata = { theirs: 1, 'switchyard.remote': { taskId: 'other' } };
    const { port } = await run({
      SendStreamingMessage: [
        { events: [{ task: task('TASK_STATE_WORKING', { metadata }) }, status('TASK_STATE_COMPLETED')] },
      ],
    });
    expect(port.current.metadata).toMatchObject({ theirs: 1, 'switchyard.remote': { taskId: 't' } });
  });

  it('that loses its task again and again is given up', async () => {
    const { said, called } = await run({
      SendMessage: [{ result: { task: task('TASK_STATE_WORKING') } }],
      GetTask: [{ error: -32001 }],
    });
    expect(said).toBe('The remote agent no longer knows this task.');
    expect(called.filter((method) => method === 'SendMessage')).toHaveLength(6);
  });

  it('that answers something else is refused, in words for the log', async () => {
    const { said, result } = await run({ SendMessage: [{ result: { task: { id: '' } } }] });
    expect(said).toContain('The remote agent refused: its answer is no A2A');
    expect(result.kind).toBe('failed');
  });
});
