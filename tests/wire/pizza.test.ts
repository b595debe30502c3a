import type { Message, Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { callJsonRpc } from '../support/json-rpc.ts';
import { transcript, userMessage } from '../support/messages.ts';
import { type RecordingModel, startRecordingModel } from '../support/recording-model.ts';
import { type Stack, startStack } from '../support/stack.ts';

// On a busy machine processes start slowly.
// A conversation over several turns.

let model: RecordingModel;
let stack: Stack;

beforeAll(async () => {
  model = await startRecordingModel();
  stack = await startStack({
    redisUrl: inject('redisUrl'),
    agents: ['pizza'],
    gateways: 2,
    workers: 2,
    env: { OPENAI_BASE_URL: model.baseURL, OPENAI_MODEL: 'recording' },
  });
});

afterAll(async () => {
  await stack.stop();
  await model[Symbol.asyncDispose]();
});

const gateway = (index: number): string => stack.urls[index] ?? '';

async function say(url: string, message: Message): Promise<Task> {
  const { result, error } = await callJsonRpc<{ task: Task }>(url, 'SendMessage', { message });
  if (error) throw new Error(error.message);
  return result.task;
}

/** The model's requests for the conversation that begins with this text. */
function askedAfter(opening: string): readonly (readonly { role: string; content: string }[])[] {
  const conversations = model.requests.map(({ messages }) => messages.filter(({ role }) => role !== 'system'));
  return conversations.filter(([first]) => first?.content === opening);
}

describe('the pizza desk', () => {
  it('asks for the kind in turn 1, and takes the order in turn 2, with both in the history', async () => {
    const first = await say(gateway(0), userMessage('I want a pizza'));
    expect(first.status).toMatchObject({
      state: 'TASK_STATE_INPUT_REQUIRED',
      message: { role: 'ROLE_AGENT', parts: [{ text: 'What kind?' }] },
    });
    expect(transcript(first)).toEqual(['user: I want a pizza', 'agent: What kind?']);

    const second = await say(gateway(0), userMessage('Do you have pineapple?', first));
    expect(second).toMatchObject({ id: first.id, contextId: first.contextId });
    expect(second.status.state).toBe('TASK_STATE_COMPLETED');
    expect(transcript(second)).toEqual([
      'user: I want a pizza',
      'agent: What kind?',
      'user: Do you have pineapple?',
      'agent: Your Hawaiian pizza is on its way.',
    ]);
  });

  it('sends the model the whole conversation with its roles, and requests structured output', async () => {
    const first = await say(gateway(0), userMessage('Pizza, please'));
    await say(gateway(0), userMessage('With mushrooms', first));
    expect(askedAfter('Pizza, please')).toEqual([
      [{ role: 'user', content: 'Pizza, please' }],
      [
        { role: 'user', content: 'Pizza, please' },
        { role: 'assistant', content: 'What kind?' },
        { role: 'user', content: 'With mushrooms' },
      ],
    ]);
    expect(model.requests.at(-1)).toMatchObject({ model: 'recording', response_format: { type: 'json_schema' } });
  });

  it('refuses a message to a completed task', async () => {
    const task = await say(gateway(0), userMessage('One margherita'));
    const { error } = await callJsonRpc(gateway(1), 'SendMessage', { message: userMessage('And another', task) });
    expect(error).toMatchObject({ code: -32004, data: [{ reason: 'UNSUPPORTED_OPERATION' }] });
  });

  it('begins a new conversation for a client that sends no ids', async () => {
    const first = await say(gateway(0), userMessage('I want a pizza'));
    const second = await say(gateway(0), userMessage('I want a pizza'));
    expect(second.id).not.toBe(first.id);
    expect(second.contextId).not.toBe(first.contextId);
    expect(transcript(second)).toEqual(['user: I want a pizza', 'agent: What kind?']);
  });

  it('begins a new task in the same context for a client that sends only the contextId', async () => {
    const { contextId = '' } = await say(gateway(0), userMessage('One salami'));
    const next = await say(gateway(1), { ...userMessage('One margherita'), contextId });
    expect(next.contextId).toBe(contextId);
    expect(transcript(next)).toEqual(['user: One margherita', 'agent: Your Margherita pizza is on its way.']);
  });

  it('keeps simultaneous conversations apart', async () => {
    const kinds = ['Hawaiian', 'Margherita', 'Salami', 'Funghi', 'Quattro Formaggi'];
    const wishes = Array.from({ length: 20 }, (_, client) => ({ client, kind: kinds[client % kinds.length] ?? '' }));
    const tasks = await Promise.all(
      wishes.map(async ({ client, kind }) => {
        const first = await say(gateway(client % 2), userMessage(`Client ${client} wants a pizza`));
        return say(gateway((client + 1) % 2), userMessage(`${kind}, says client ${client}`, first));
      }),
    );
    expect(tasks.map(transcript)).toEqual(
      wishes.map(({ client, kind }) => [
        `user: Client ${client} wants a pizza`,
        'agent: What kind?',
        `user: ${kind}, says client ${client}`,
        `agent: Your ${kind} pizza is on its way.`,
      ]),
    );
    expect(new Set(tasks.map(({ contextId }) => contextId)).size).toBe(wishes.length);
  });
});
