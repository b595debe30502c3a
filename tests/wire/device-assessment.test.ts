import { randomUUID } from 'node:crypto';
import type { Message, Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { callJsonRpc, type JsonRpcAnswer } from '../support/json-rpc.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// On a busy machine processes start slowly.
// A task that is created before its work is known, without a version header.

let stack: Stack;
let calls = 0;

/** Alternates between the gateways. */
const url = (): string => stack.urls[calls++ % stack.urls.length] ?? '';

beforeAll(async () => {
  const env = { ASSESSMENT_MS: '1000' };
  stack = await startStack({
    redisUrl: inject('redisUrl'),
    agents: ['device-assessment'],
    gateways: 2,
    workers: 2,
    env,
  });
});

afterAll(() => stack.stop());

const anyId: unknown = expect.stringMatching(/^\S+$/);
const anyTime: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const opening = 'Show me the configuration assessment from my device?';
const assessment = [
  'Assessment summary for router007:',
  '- 42 checks performed',
  '- 5 critical findings',
  '- 12 high severity findings',
  '- 25 passed',
].join('\n');

function sendMessage(text: string, given: Partial<Message> = {}): Promise<JsonRpcAnswer<{ task: Task }>> {
  return callJsonRpc(url(), 'SendMessage', {
    message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...given },
    configuration: { acceptedOutputModes: ['text/plain', 'application/json'] },
  });
}

async function getTask(id: string): Promise<Task> {
  const { result } = await callJsonRpc<Task>(url(), 'GetTask', { id, historyLength: 5 });
  return result;
}

/** A task that waits for the name of the device, with the ids that continue it. */
async function askedForDevice(): Promise<{ id: string; ids: { taskId: string; contextId: string } }> {
  const { id, contextId = '' } = (await sendMessage(opening)).result.task;
  return { id, ids: { taskId: id, contextId } };
}

async function untilCompleted(id: string): Promise<Task> {
  const completed = async (): Promise<Task | false> => {
    const task = await getTask(id);
    return task.status.state === 'TASK_STATE_COMPLETED' && task;
  };
  return until(completed, { what: 'the assessment is completed' });
}

/** Agents' messages have the ids of their task, like users' messages. */
const agentMessage = (text: string, { taskId, contextId }: { taskId: unknown; contextId: unknown }): object => ({
  messageId: anyId,
  role: 'ROLE_AGENT',
  parts: [{ text }],
  taskId,
  contextId,
});

describe('the device assessment', () => {
  it('creates a task for the first message, and asks for the device', async () => {
    const answer = await sendMessage(opening, { messageId: 'msg-001' });
    const { history, ...task } = answer.result.task;
    expect({ ...answer, result: { task } }).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        task: {
          id: anyId,
          contextId: anyId,
          status: {
            state: 'TASK_STATE_INPUT_REQUIRED',
            timestamp: anyTime,
            message: agentMessage('Which device do you refer to?', { taskId: task.id, contextId: task.contextId }),
          },
        },
      },
    });
  });

  it('acknowledges the device in the same task: the blocking call returns, and the work goes on', async () => {
    const { id, ids } = await askedForDevice();
    const { result } = await sendMessage('The device name is router007', ids);
    const { history, ...task } = result.task;
    expect(task).toEqual({
      id,
      contextId: ids.contextId,
      status: { state: 'TASK_STATE_WORKING', timestamp: anyTime, message: agentMessage('I am on it', ids) },
    });
  });

  it('completes later with the assessment as an artifact', async () => {
    const { id, ids } = await askedForDevice();
    await sendMessage('The device name is router007', ids);
    const { history, ...task } = await untilCompleted(id);
    expect(task).toEqual({
      id,
      contextId: ids.contextId,
      status: { state: 'TASK_STATE_COMPLETED', timestamp: anyTime },
      artifacts: [{ artifactId: anyId, name: 'Configuration Assessment for router007', parts: [{ text: assessment }] }],
    });
    expect(history?.map(({ role, parts }) => [role, ...parts])).toEqual([
      ['ROLE_USER', { text: opening }],
      ['ROLE_AGENT', { text: 'Which device do you refer to?' }],
      ['ROLE_USER', { text: 'The device name is router007' }],
      ['ROLE_AGENT', { text: 'I am on it' }],
    ]);
  });

  it('refuses a third message once the task is completed', async () => {
    const { id, ids } = await askedForDevice();
    await sendMessage('The device name is router007', ids);
    await untilCompleted(id);
    const { error } = await sendMessage('And router008?', ids);
    expect(error).toMatchObject({ code: -32004, data: [{ reason: 'UNSUPPORTED_OPERATION' }] });
  });

  it("refuses a contextId that is not the task's", async () => {
    const { ids } = await askedForDevice();
    const { error } = await sendMessage('The device name is router007', { ...ids, contextId: 'another' });
    expect(error?.code).toBe(-32602);
    expect(JSON.stringify(error?.data)).toContain('"field":"message.contextId"');
  });

  it('refuses an unknown taskId', async () => {
    const { error } = await sendMessage('The device name is router007', { taskId: randomUUID() });
    expect(error).toMatchObject({ code: -32001, data: [{ reason: 'TASK_NOT_FOUND' }] });
  });
});
