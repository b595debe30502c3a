import type { Artifact, Message, Task, TaskStatus } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../../tests/support/until.ts';
import { submit, userMessage } from '../support/client.ts';
import { asked, chunk, completed, working } from '../support/events.ts';
import { openStage, type Stage } from '../support/stage.ts';
import { bindingNames, clientOf, closeClients, type Numbered } from './clients.ts';

// Pull request 2129 of a2aproject/A2A, which is not in the draft yet.

interface Entry {
  readonly message?: Message;
  readonly status?: TaskStatus;
  readonly generation: string;
}

interface TimelineTask extends Numbered<Omit<Task, 'artifacts'>> {
  readonly timeline?: readonly Entry[];
  readonly artifacts?: readonly (Artifact & { readonly startGeneration?: string; readonly endGeneration?: string })[];
}

const grpc = { port: 0, publicAddress: 'auto' };
let stage: Stage;
/** A conversation with a question, and a message sent while its answer was processed. */
let task: Task;

beforeAll(async () => {
  stage = await openStage({ gateway: { grpc, preview: true } });
  task = await submit(stage.url, userMessage('hello'));
  const { id: taskId } = task;
  const first = await stage.beginTurn(taskId);
  const said = [working('on it'), chunk('a', { append: false }), chunk('b'), asked('what?')];
  for (const event of said) await first.publish(event);
  await submit(stage.url, userMessage('this', { taskId }));
  const second = await stage.beginTurn(taskId, 2);
  await second.publish(working('thanks'));
  await submit(stage.url, userMessage('and that', { taskId }));
  const whole = { artifactId: 'whole', parts: [{ text: 'c' }] };
  await second.publish({ kind: 'artifact', artifact: whole, append: false, lastChunk: true });
  await second.publish(completed('done'));
  await (await stage.beginTurn(taskId, 2)).publish(completed('all done'));
});

afterAll(async () => {
  closeClients();
  await stage[Symbol.asyncDispose]();
});

const lineOf = ({ message, status, generation }: Entry): string => {
  const text = (message ?? status?.message)?.parts[0]?.text ?? '';
  return [generation, message ? 'user:' : status?.state.replace('TASK_STATE_', ''), text].join(' ').trim();
};

const lines = [
  '1 user: hello',
  '1 SUBMITTED',
  '2 WORKING on it',
  '5 INPUT_REQUIRED what?',
  '6 user: this',
  '6 SUBMITTED',
  '7 WORKING thanks',
  '7 user: and that',
  '9 WORKING done',
  '10 COMPLETED all done',
];

describe.each(bindingNames)('a timeline over %s', (name) => {
  const read = async (params: object, { id } = task): Promise<TimelineTask> =>
    (await clientOf(name, stage.url)).ask<TimelineTask>({ operation: 'GetTask', params: { id, ...params } });

  it("has the client's messages and each status, ordered by generation", async () => {
    const { timeline = [], generation } = await read({ timelineLength: 100 });
    expect(timeline.map(lineOf)).toEqual(lines);
    expect(generation).toBe('10');
  });

  it('has the latest entries if fewer are requested, independent of historyLength', async () => {
    const { timeline = [], history = [] } = await read({ timelineLength: 3, historyLength: 1 });
    expect(timeline.map(lineOf)).toEqual(lines.slice(-3));
    expect(history.map(({ parts }) => parts)).toEqual([[{ text: 'all done' }]]);
  });

  it('comes with the generations at which each artifact began and was completed', async () => {
    const { artifacts = [] } = await read({ timelineLength: 1 });
    const ranges = artifacts.map(({ startGeneration, endGeneration }) => [startGeneration, endGeneration]);
    expect(ranges).toEqual([
      ['3', '4'],
      ['8', '8'],
    ]);
  });

  it('leaves an artifact open if more can be appended', async () => {
    const { id } = await submit(stage.url);
    const turn = await stage.beginTurn(id);
    await turn.publish(chunk('a', { append: false }));
    await turn.flush();
    const { artifacts: [artifact] = [] } = await read({ timelineLength: 1 }, { ...task, id });
    expect([artifact?.startGeneration, artifact?.endGeneration]).toEqual(['2', undefined]);
  });

  it('is included only on request, and so are the ranges of artifacts', async () => {
    for (const params of [{}, { timelineLength: 0 }]) {
      const text = JSON.stringify(await read(params));
      expect(text).not.toMatch(/timeline|startGeneration/);
    }
  });
});

describe('a timeline', () => {
  it('is left out if the events of the task are gone', async () => {
    const brief = await openStage({ gateway: { grpc, preview: true }, store: { replayMs: 1 } });
    const { id } = await submit(brief.url);
    await (await brief.beginTurn(id)).publish(completed());
    const client = await clientOf('HTTP+JSON', brief.url);
    const read = (): Promise<TimelineTask> => client.ask({ operation: 'GetTask', params: { id, timelineLength: 9 } });
    await until(async () => (await read()).timeline === undefined, { what: 'the events are gone' });
    expect(await read()).toMatchObject({ generation: '2', status: { state: 'TASK_STATE_COMPLETED' } });
    await brief[Symbol.asyncDispose]();
  });

  it('is left out of a task with very many events, which is still returned', async () => {
    const { id } = await submit(stage.url);
    const turn = await stage.beginTurn(id);
    for (let i = 0; i < 2_100; i++) await turn.publish(chunk('x', { append: i > 0 }));
    await turn.publish(completed());
    const client = await clientOf('JSON-RPC', stage.url);
    const params = { id, timelineLength: 9, historyLength: 1 };
    const { timeline, generation, history } = await client.ask<TimelineTask>({ operation: 'GetTask', params });
    expect([timeline, generation, history?.length]).toEqual([undefined, '2102', 1]);
  });

  it('is not available in 1.0', async () => {
    const headers = { 'a2a-version': '1.0' };
    for (const name of bindingNames) {
      const client = await clientOf(name, stage.url);
      const params = { id: task.id, timelineLength: 9 };
      const text = JSON.stringify(await client.ask({ operation: 'GetTask', params, headers }));
      expect(text).not.toMatch(/timeline|startGeneration|"generation"/);
    }
  });

  it('refuses an invalid length', async () => {
    const client = await clientOf('HTTP+JSON', stage.url);
    const params = { id: task.id, timelineLength: -1 };
    expect(await client.refused({ operation: 'GetTask', params })).toMatchObject({ violations: ['timelineLength'] });
  });
});
