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

interface Told extends Numbered<Omit<Task, 'artifacts'>> {
  readonly timeline?: readonly Entry[];
  readonly artifacts?: readonly (Artifact & { readonly startGeneration?: string; readonly endGeneration?: string })[];
}

const grpc = { port: 0, publicAddress: 'auto' };
let stage: Stage;
/** A conversation with a question, and a message that came while its answer was worked on. */
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
  const read = async (params: object, { id } = task): Promise<Told> =>
    (await clientOf(name, stage.url)).ask<Told>({ operation: 'GetTask', params: { id, ...params } });

  it('has what clients sent and each status, in order of their generations', async () => {
    const { timeline = [], generation } = await read({ timelineLength: 100 });
    expect(timeline.map(lineOf)).toEqual(lines);
    expect(generation).toBe('10');
  });

  it('has the latest of them, if fewer are asked for, whatever history is', async () => {
    const { timeline = [], history = [] } = await read({ timelineLength: 3, historyLength: 1 });
    expect(timeline.map(lineOf)).toEqual(lines.slice(-3));
    expect(history.map(({ parts }) => parts)).toEqual([[{ text: 'all done' }]]);
  });

  it('comes with where each artifact began and was complete', async () => {
    const { artifacts = [] } = await read({ timelineLength: 1 });
    const ranges = artifacts.map(({ startGeneration, endGeneration }) => [startGeneration, endGeneration]);
    expect(ranges).toEqual([
      ['3', '4'],
      ['8', '8'],
    ]);
  });

  it('leaves an artifact open to which more may be added', async () => {
    const { id } = await submit(stage.url);
    const turn = await stage.beginTurn(id);
    await turn.publish(chunk('a', { append: false }));
    await turn.flush();
    const { artifacts: [artifact] = [] } = await read({ timelineLength: 1 }, { ...task, id });
    expect([artifact?.startGeneration, artifact?.endGeneration]).toEqual(['2', undefined]);
  });

  it('is not there unless it is asked for, nor are ranges', async () => {
    for (const params of [{}, { timelineLength: 0 }]) {
      const text = JSON.stringify(await read(params));
      expect(text).not.toMatch(/timeline|startGeneration/);
    }
  });
});

describe('a timeline', () => {
  it('is left out where the events of the task are gone', async () => {
    const brief = await openStage({ gateway: { grpc, preview: true }, store: { replayMs: 1 } });
    const { id } = await submit(brief.url);
    await (await brief.beginTurn(id)).publish(completed());
    const client = await clientOf('HTTP+JSON', brief.url);
    const read = (): Promise<Told> => client.ask({ operation: 'GetTask', params: { id, timelineLength: 9 } });
    await until(async () => (await read()).timeline === undefined, { what: 'the events are gone' });
    expect(await read()).toMatchObject({ generation: '2', status: { state: 'TASK_STATE_COMPLETED' } });
    await brief[Symbol.asyncDispose]();
  });

  it('is left out of a task with very many events, which is read as ever', async () => {
    const { id } = await submit(stage.url);
    const turn = await stage.beginTurn(id);
    for (let i = 0; i < 2_100; i++) await turn.publish(chunk('x', { append: i > 0 }));
    await turn.publish(completed());
    const client = await clientOf('JSON-RPC', stage.url);
    const params = { id, timelineLength: 9, historyLength: 1 };
    const { timeline, generation, history } = await client.ask<Told>({ operation: 'GetTask', params });
    expect([timeline, generation, history?.length]).toEqual([undefined, '2102', 1]);
  });

  it('is not to be had in 1.0', async () => {
    const headers = { 'a2a-version': '1.0' };
    for (const name of bindingNames) {
      const client = await clientOf(name, stage.url);
      const params = { id: task.id, timelineLength: 9 };
      const text = JSON.stringify(await client.ask({ operation: 'GetTask', params, headers }));
      expect(text).not.toMatch(/timeline|startGeneration|"generation"/);
    }
  });

  it('is refused for a length that is none', async () => {
    const client = await clientOf('HTTP+JSON', stage.url);
    const params = { id: task.id, timelineLength: -1 };
    expect(await client.refused({ operation: 'GetTask', params })).toMatchObject({ violations: ['timelineLength'] });
  });
});
