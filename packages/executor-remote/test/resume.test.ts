import { runTurn } from '@switchyard/agent/testing';
import { resumableStreamsUri, usageUri } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { remoteExecutor } from '../src/index.ts';
import { type Answer, ScriptedAgent } from './scripted-agent.ts';

// A remote agent with the extension of docs/extensions/resumable-streams.md.

const resumable = { capabilities: { streaming: true, extensions: [{ uri: resumableStreamsUri }] } };
const ids = { taskId: 't', contextId: 'c' };
const identified = (eventId: string) => ({ metadata: { own: 'kept', [resumableStreamsUri]: { eventId } } });

const task = (eventId: string, state = 'WORKING', more: object = {}) => ({
  task: { id: 't', contextId: 'c', status: { state: `TASK_STATE_${state}` }, ...more, ...identified(eventId) },
});
const chunk = (eventId: string, text: string, append = true) => ({
  artifactUpdate: { ...ids, artifact: { artifactId: 'a', parts: [{ text }] }, append, ...identified(eventId) },
});
const completed = (eventId: string) => ({
  statusUpdate: { ...ids, status: { state: 'TASK_STATE_COMPLETED' }, ...identified(eventId) },
});

const begun: Answer = { events: [task('1-x'), chunk('2-x', 'one ', false)], isCut: true };
const whole = { artifacts: [{ artifactId: 'a', parts: [{ text: 'one two three' }] }] };
const ended: Answer = { result: task('', 'COMPLETED', whole).task };

async function outcomeOf(agent: ScriptedAgent) {
  const execute = remoteExecutor({ cardUrl: agent.cardUrl, pollEveryMs: 20, retryBudgetMs: 20_000 });
  return await runTurn(agentThat(execute), 'Hello');
}

const lastEventIds = ({ headers }: ScriptedAgent) => headers.map((each) => each['last-event-id']);

describe('a broken stream of events with ids', () => {
  it('is resumed after the last event without reading the task; the ids are not mirrored', async () => {
    const rest: Answer[] = [
      { events: [chunk('3-x', 'two ')], isCut: true },
      { events: [chunk('4-x', 'three'), completed('5-x')] },
    ];
    await using agent = await new ScriptedAgent(
      { SendStreamingMessage: [begun], SubscribeToTask: rest },
      resumable,
    ).start();
    const { task, events } = await outcomeOf(agent);
    expect(task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' }, metadata: { own: 'kept' } });
    expect(task.artifacts?.map(({ parts }) => parts)).toEqual([[{ text: 'one two three' }]]);
    expect(JSON.stringify([task, events])).not.toContain(resumableStreamsUri);
    expect(agent.called).toEqual(['SendStreamingMessage', 'SubscribeToTask', 'SubscribeToTask']);
    expect(lastEventIds(agent)).toEqual([undefined, '2-x', '3-x']);
    expect(agent.headers[0]?.['a2a-extensions']).toContain(resumableStreamsUri);
  });

  it('that resumes with a snapshot, because events were lost, mirrors the snapshot', async () => {
    const rest: Answer = { events: [task('2-y', 'WORKING', whole), completed('3-y')] };
    await using agent = await new ScriptedAgent(
      { SendStreamingMessage: [begun], SubscribeToTask: [rest] },
      resumable,
    ).start();
    const { task: ours } = await outcomeOf(agent);
    expect(ours.artifacts?.map(({ parts }) => parts)).toEqual([[{ text: 'one two three' }]]);
    expect(agent.called).toEqual(['SendStreamingMessage', 'SubscribeToTask']);
  });

  it.each<[string, Answer]>([
    ['is refused', { error: -32004 }],
    ['has no events', { events: [] }],
    ['breaks each time', { events: [], isCut: true }],
  ])('whose resumption %s is replaced by reading the task', async (_, refusal) => {
    const script = { SendStreamingMessage: [begun], SubscribeToTask: [refusal], GetTask: [ended] };
    await using agent = await new ScriptedAgent(script, resumable).start();
    const { task: ours } = await outcomeOf(agent);
    expect(ours.status.state).toBe('TASK_STATE_COMPLETED');
    expect(ours.artifacts?.map(({ parts }) => parts)).toEqual([[{ text: 'one two three' }]]);
    expect(agent.called.at(-1)).toBe('GetTask');
  });

  it('is not resumed after an invalid event id', async () => {
    const odd: Answer = { events: [task('1-x'), chunk('2\r\nx-evil: 1', 'one ', false)], isCut: true };
    await using agent = await new ScriptedAgent({ SendStreamingMessage: [odd], GetTask: [ended] }, resumable).start();
    expect((await outcomeOf(agent)).task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(agent.called).toEqual(['SendStreamingMessage', 'GetTask']);
  });
});

describe('what a remote agent says that its task has used', () => {
  it('is counted under the id of its task, and is not mirrored', async () => {
    const usage = (microUsd: number) => ({
      [usageUri]: { total: { inputTokens: 12, calls: 2, microUsd }, calls: [{ taskId: 'x', agent: 'y', microUsd: 1 }] },
    });
    const events = [
      task('1-x'),
      { statusUpdate: { ...ids, status: { state: 'TASK_STATE_WORKING' }, metadata: { own: 'kept', ...usage(5) } } },
      { statusUpdate: { ...ids, status: { state: 'TASK_STATE_COMPLETED' }, metadata: usage(7) } },
    ];
    await using agent = await new ScriptedAgent({ SendStreamingMessage: [{ events }] }, resumable).start();
    const { task: ended, used } = await outcomeOf(agent);
    expect(ended.metadata).toMatchObject({ own: 'kept' });
    expect(JSON.stringify(ended)).not.toContain(usageUri);
    const total = { model: 'remote', key: 't', inputTokens: 12, calls: 2, unpricedCalls: 0 };
    expect(used).toEqual([
      { ...total, microUsd: 5 },
      { ...total, microUsd: 7 },
    ]);
  });

  it('is left out if it is no usage', async () => {
    const metadata = { [usageUri]: { total: { inputTokens: -1 } } };
    const events = [task('1-x'), { statusUpdate: { ...ids, status: { state: 'TASK_STATE_COMPLETED' }, metadata } }];
    await using agent = await new ScriptedAgent({ SendStreamingMessage: [{ events }] }, resumable).start();
    const { task: ended, used } = await outcomeOf(agent);
    expect([ended.status.state, used]).toEqual(['TASK_STATE_COMPLETED', []]);
  });
});
