import { randomUUID } from 'node:crypto';
import { type AgentCard, inputUri, type Task, type TurnEvent } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GatewaySettings } from '../src/index.ts';
import { needed } from './support/agents.ts';
import type { Binding, Invocation, Outcome } from './support/bindings/outcome.ts';
import { type GrpcBinding, overGrpc } from './support/bindings/over-grpc.ts';
import { overJsonRpc, overRest } from './support/bindings/over-http.ts';
import { type ErrorBody, get, post, submit, userMessage } from './support/client.ts';
import { asked, chunk, completed, replied, working } from './support/events.ts';
import { grpcAddressOf } from './support/grpc-address.ts';
import { openStage, type Stage } from './support/stage.ts';

// The same request over each of the three bindings, on the same tasks: equal results, equivalent errors (A2A 5.1).

const alice = { 'x-api-key': 'key-of-alice-0123456789' };
const keys = [{ key: alice['x-api-key'], subject: 'alice', tenant: 'default', scopes: [] }];
const withKeys: Partial<GatewaySettings> = {
  grpc: { port: 0, publicAddress: 'auto' },
  auth: { keys },
};

let stage: Stage;
let open: string;
let closed: string;
const grpcs: GrpcBinding[] = [];

beforeAll(async () => {
  stage = await openStage({ gateway: { grpc: { port: 0, publicAddress: 'auto' } } });
  open = stage.url;
  closed = await stage.another(withKeys);
});

afterAll(async () => {
  for (const grpc of grpcs) grpc[Symbol.dispose]();
  await stage[Symbol.asyncDispose]();
});

/** The bindings of one agent, at the gateway with or without authentication. */
async function bindingsOf(agent = 'echo', url = open): Promise<readonly Binding[]> {
  // Named by metadata, because some answers would repeat a tenant.
  const grpc = overGrpc(await grpcAddressOf(url), agent === 'echo' ? undefined : agent);
  grpcs.push(grpc);
  return [overJsonRpc(`${url}/agents/${agent}`), overRest(`${url}/agents/${agent}`), grpc];
}

interface Request extends Invocation {
  readonly agent?: string;
  readonly url?: string;
}

/** The outcome of each binding. */
async function everywhere({ agent = 'echo', url, ...invocation }: Request): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const headers = { ...invocation.headers, 'a2a-agent': agent };
  for (const binding of await bindingsOf(agent, url)) outcomes.push(await binding.invoke({ ...invocation, headers }));
  return outcomes;
}

/** The outcome, which must be the same for all bindings. */
async function agreed(request: Request): Promise<Outcome> {
  const [first, ...others] = await everywhere(request);
  for (const other of others) expect(other).toEqual(first);
  if (!first) throw new Error('no outcome');
  return first;
}

/** Ids and times differ in each answer. */
const masked = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, 'id')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time'),
  );

async function taskAfter(...events: TurnEvent[]): Promise<Task> {
  const task = await submit(open, userMessage('hello', { contextId: randomUUID() }));
  await play(task.id, ...events);
  return task;
}

async function play(taskId: string, ...events: TurnEvent[]): Promise<void> {
  const turn = await stage.beginTurn(taskId);
  for (const event of events) await turn.publish(event);
}

const nullData: TurnEvent = {
  kind: 'artifact',
  artifact: {
    artifactId: 'nothing',
    name: 'Nothing',
    parts: [{ data: null }, { data: { a: [1, null] } }],
    metadata: { data: null, content: 'of the metadata' },
  },
  append: false,
  lastChunk: true,
};

describe('a task', () => {
  let task: Task;

  beforeAll(async () => {
    task = await taskAfter(working('on it'), chunk('one ', { append: false }), chunk('two'), nullData, completed());
  });

  it.each([{}, { historyLength: 0 }, { historyLength: 1 }])('is the same when it is read with %j', async (view) => {
    const outcome = await agreed({ operation: 'GetTask', params: { id: task.id, ...view } });
    expect(outcome).toMatchObject({
      result: {
        status: { state: 'TASK_STATE_COMPLETED' },
        artifacts: [{ parts: [{ text: 'one two' }] }, { parts: [{ data: '<null>' }, { data: { a: [1, null] } }] }],
      },
    });
  });

  it.each([
    {},
    { includeArtifacts: true },
    { historyLength: 1, pageSize: 1 },
    { status: 'TASK_STATE_COMPLETED' },
    { status: 'TASK_STATE_WORKING' },
    { statusTimestampAfter: '2020-01-01T00:00:00Z' },
  ])('is the same in a list with %j', async (query) => {
    const outcome = await agreed({ operation: 'ListTasks', params: { contextId: task.contextId, ...query } });
    expect(outcome).toHaveProperty('result');
  });

  it('is canceled over each binding', async () => {
    for (const binding of await bindingsOf()) {
      const { id } = await submit(open);
      const { result } = (await binding.invoke({ operation: 'CancelTask', params: { id } })) as { result: unknown };
      expect(result).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
    }
  });

  it('is the first event of a subscription', async () => {
    const { id } = await taskAfter(asked('what?'));
    const outcome = await agreed({ operation: 'SubscribeToTask', params: { id }, mostEvents: 1 });
    expect(outcome).toMatchObject({ result: [{ task: { id, status: { state: 'TASK_STATE_INPUT_REQUIRED' } } }] });
  });
});

describe('the input of an agent with a schema', () => {
  const configuration = { returnImmediately: true };
  const messageOf = (parts: object[]) => ({ ...userMessage('x'), parts });
  const violations = async (...parts: object[]) => {
    const params = { message: messageOf(parts), configuration };
    const outcome = await agreed({ agent: 'baker', operation: 'SendMessage', params });
    expect(outcome).toMatchObject({ error: { reason: 'INVALID_PARAMS' } });
    return 'error' in outcome && outcome.error.violations;
  };

  it('is refused before a task exists, and every wrong field is named', async () => {
    const data = { size: 'huge', number: 0, to: { street: 'x' }, colour: 'red' };
    expect(await violations({ text: 'Please' }, { data })).toEqual(
      ['size', 'number', 'to.street', 'colour'].map((field) => `message.parts[1].data.${field}`),
    );
    expect(await violations({ data: { size: 'small' } })).toEqual(['message.parts[0].data.to']);
    expect(await violations({ text: '{"size":"small"}' })).toEqual(['message.parts']);
    expect(await violations({ data: {} }, { data: {} })).toEqual(['message.parts']);
    const { body } = await post<ErrorBody>(`${open}/agents/baker/message:send`, { message: messageOf([{ data }]) });
    expect(body.error.details?.[1]?.fieldViolations?.map(({ description }) => description)).toEqual([
      'must be one of small, large',
      'must be at least 1',
      'must have at least 3 characters',
      'is not a known field',
    ]);
    const tasks = await agreed({ agent: 'baker', operation: 'ListTasks', params: {} });
    expect(tasks).toEqual({ result: {} });
  });

  it('is accepted if it fits, without a look at its patterns; later messages may be texts', async () => {
    const headers = { 'a2a-agent': 'baker' };
    const data = { size: 'small', to: { street: 'Via Roma' }, code: `${'a'.repeat(40)}!` };
    for (const binding of await bindingsOf('baker')) {
      const send = (message: object) =>
        binding.invoke({ operation: 'SendMessage', params: { message, configuration }, headers });
      const sent = await send(messageOf([{ data }]));
      expect(sent).toMatchObject({ result: { task: { status: { state: 'TASK_STATE_SUBMITTED' } } } });
      const { id } = (sent as { result: { task: Task } }).result.task;
      expect(await send(userMessage('and quickly', { taskId: id }))).toMatchObject({ result: { task: { id } } });
    }
  });

  it('has its schema in the card', async () => {
    const { body } = await get<AgentCard>(`${open}/agents/baker/.well-known/agent-card.json`);
    const extension = body.capabilities.extensions?.find(({ uri }) => uri === inputUri);
    expect(extension?.params).toMatchObject({ schema: { required: ['size', 'to'] } });
  });
});

describe('a message', () => {
  /** Sends the message over each binding, runs the agent's turn, and compares the outcomes. */
  async function playedEverywhere(operation: string, ...events: TurnEvent[]): Promise<unknown> {
    const results: unknown[] = [];
    for (const binding of await bindingsOf()) {
      const contextId = randomUUID();
      const params = { message: userMessage('hello', { contextId }) };
      const answer = binding.invoke({ operation, params });
      await play(await stage.taskIn(contextId), ...events);
      results.push(masked(await answer));
    }
    const [first, ...others] = results;
    for (const other of others) expect(other).toEqual(first);
    return first;
  }

  it('is accepted without waiting', async () => {
    const configuration = { returnImmediately: true };
    const outcomes: unknown[] = [];
    for (const binding of await bindingsOf()) {
      const params = { message: userMessage('hello'), configuration };
      outcomes.push(masked(await binding.invoke({ operation: 'SendMessage', params })));
    }
    expect(outcomes[0]).toMatchObject({ result: { task: { status: { state: 'TASK_STATE_SUBMITTED' } } } });
    expect(outcomes).toEqual([outcomes[0], outcomes[0], outcomes[0]]);
  });

  it('is answered with the task when the agent has completed it', async () => {
    const outcome = await playedEverywhere('SendMessage', working(), chunk('text', { append: false }), completed());
    expect(outcome).toMatchObject({ result: { task: { status: { state: 'TASK_STATE_COMPLETED' } } } });
  });

  it('is answered with a message by an agent that creates no task', async () => {
    const outcome = await playedEverywhere('SendMessage', replied('yes'));
    expect(outcome).toMatchObject({ result: { message: { role: 'ROLE_AGENT', parts: [{ text: 'yes' }] } } });
  });

  it('is answered with the same events', async () => {
    const events = [working('on it'), chunk('a', { append: false }), chunk('b'), nullData, completed()];
    const outcome = await playedEverywhere('SendStreamingMessage', ...events);
    expect(outcome).toMatchObject({ result: { length: 6 } });
  });
});

describe('a push notification config', () => {
  const config = { id: 'hook', url: 'https://example.com/hook', token: 'a-token-of-the-client' };

  it('is the same when it is created, read, listed and deleted', async () => {
    const { id: taskId } = await submit(open);
    const place = { taskId, id: config.id };
    const made = await agreed({ operation: 'CreateTaskPushNotificationConfig', params: { taskId, ...config } });
    expect(made).toMatchObject({ result: { ...place, url: config.url } });
    expect(await agreed({ operation: 'GetTaskPushNotificationConfig', params: place })).toEqual(made);
    const listed = await agreed({ operation: 'ListTaskPushNotificationConfigs', params: { taskId } });
    expect(listed).toMatchObject({ result: { configs: [place] } });
    expect(await agreed({ operation: 'DeleteTaskPushNotificationConfig', params: place })).toEqual({ result: {} });
    const gone = await agreed({ operation: 'GetTaskPushNotificationConfig', params: place });
    expect(gone).toMatchObject({ error: { reason: 'TASK_NOT_FOUND' } });
  });

  it('is refused if its URL is in a private network', async () => {
    const { id: taskId } = await submit(open);
    const params = { taskId, url: 'https://10.0.0.1/hook' };
    const outcome = await agreed({ operation: 'CreateTaskPushNotificationConfig', params });
    expect(outcome).toMatchObject({ error: { reason: 'INVALID_PARAMS', violations: ['url'] } });
  });
});

describe('an error', () => {
  let ended: Task;

  beforeAll(async () => {
    ended = await taskAfter(completed());
  });

  const message = userMessage('hello');
  const config = { taskId: 'nothing', id: 'nothing' };

  it.each<[reason: string, request: () => Request, violations?: string[]]>([
    ['TASK_NOT_FOUND', () => ({ operation: 'GetTask', params: { id: 'nothing' } })],
    ['TASK_NOT_FOUND', () => ({ operation: 'CancelTask', params: { id: 'nothing' } })],
    ['TASK_NOT_FOUND', () => ({ operation: 'SubscribeToTask', params: { id: 'nothing' } })],
    ['TASK_NOT_FOUND', () => sending({ ...message, taskId: 'nothing' })],
    ['TASK_NOT_CANCELABLE', () => ({ operation: 'CancelTask', params: { id: ended.id } })],
    ['UNSUPPORTED_OPERATION', () => ({ operation: 'SubscribeToTask', params: { id: ended.id } })],
    ['UNSUPPORTED_OPERATION', () => sending({ ...message, taskId: ended.id })],
    ['UNSUPPORTED_OPERATION', () => ({ agent: 'mute', operation: 'SendStreamingMessage', params: { message } })],
    ['UNSUPPORTED_OPERATION', () => ({ operation: 'GetExtendedAgentCard', params: {} })],
    [
      'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
      () => ({ agent: 'braggart', url: closed, headers: alice, operation: 'GetExtendedAgentCard', params: {} }),
    ],
    ['EXTENSION_SUPPORT_REQUIRED', () => ({ ...sending(message), agent: 'strict' })],
    ['CONTENT_TYPE_NOT_SUPPORTED', () => ({ ...sending(message), agent: 'painter' })],
    ['VERSION_NOT_SUPPORTED', () => ({ ...sending(message), headers: { 'a2a-version': '2.0' } }), ['A2A-Version']],
    [
      'PUSH_NOTIFICATION_NOT_SUPPORTED',
      () => ({ agent: 'mute', operation: 'GetTaskPushNotificationConfig', params: config }),
    ],
    [
      'PUSH_NOTIFICATION_NOT_SUPPORTED',
      () => ({ agent: 'mute', operation: 'DeleteTaskPushNotificationConfig', params: config }),
    ],
    [
      'PUSH_NOTIFICATION_NOT_SUPPORTED',
      () => ({ agent: 'mute', operation: 'ListTaskPushNotificationConfigs', params: { taskId: ended.id } }),
    ],
    [
      'PUSH_NOTIFICATION_NOT_SUPPORTED',
      () => ({
        agent: 'mute',
        operation: 'CreateTaskPushNotificationConfig',
        params: { taskId: ended.id, url: 'https://example.com/hook' },
      }),
    ],
    ['INVALID_PARAMS', () => sending({ role: 'ROLE_USER', parts: [] }), ['message.messageId', 'message.parts']],
    ['INVALID_PARAMS', () => ({ operation: 'ListTasks', params: { pageSize: 1000 } }), ['pageSize']],
    ['INVALID_PARAMS', () => ({ operation: 'ListTasks', params: { pageToken: 'none' } }), ['pageToken']],
    [
      'INVALID_PARAMS',
      () => sending({ ...userMessage('hi'), taskId: ended.id, contextId: 'another' }),
      ['message.contextId'],
    ],
    ['UNAUTHENTICATED', () => ({ url: closed, operation: 'GetTask', params: { id: 'nothing' } })],
  ])('is %s over every binding', async (reason, request, violations) => {
    const outcome = await agreed(request());
    expect(outcome).toMatchObject({ error: { reason, ...(violations && { violations }) } });
  });

  it('is TASK_NOT_FOUND while an agent that answers with messages works, and no list has its task', async () => {
    for (const [end, isTask] of [
      [replied('42'), false],
      [working('This takes a task'), true],
    ] as const) {
      const contextId = randomUUID();
      const [asker] = await bindingsOf('oracle');
      const configuration = { returnImmediately: true };
      const answer = asker?.invoke({
        operation: 'SendMessage',
        params: { message: userMessage('hello', { contextId }), configuration },
      });
      const id = await stage.taskIn(contextId, 'oracle');
      const listed = { agent: 'oracle', operation: 'ListTasks', params: { contextId } };
      const read = { agent: 'oracle', operation: 'GetTask', params: { id } };
      const turn = await stage.beginTurn(id);
      expect(await agreed(listed)).toEqual({ result: {} });
      expect(await agreed({ ...listed, params: {} })).toEqual({ result: {} });
      expect(await agreed(read)).toMatchObject({ error: { reason: 'TASK_NOT_FOUND' } });
      await turn.publish(end);
      expect(await answer).toHaveProperty(isTask ? 'result.task' : 'result.message');
      expect(await agreed(listed)).toEqual({ result: isTask ? expect.objectContaining({ totalSize: 1 }) : {} });
      expect(await agreed(read)).toHaveProperty(isTask ? 'result.id' : 'error');
    }
  });

  it('is CONFLICT for a messageId with another body', async () => {
    const sent = userMessage('first');
    await submit(open, sent);
    const outcome = await agreed(sending({ ...sent, parts: [{ text: 'second' }] }));
    expect(outcome).toMatchObject({ error: { reason: 'CONFLICT', violations: ['message.messageId'] } });
  });

  it('is INVALID_AGENT_RESPONSE for an agent that answers with an empty message', async () => {
    for (const binding of await bindingsOf()) {
      const contextId = randomUUID();
      const answer = binding.invoke(sending(userMessage('hello', { contextId })));
      const nothing = { kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true, isPlainMessage: true } as const;
      await play(await stage.taskIn(contextId), nothing);
      expect(await answer).toMatchObject({ error: { reason: 'INVALID_AGENT_RESPONSE' } });
    }
  });

  it('does not occur if the required extension is requested', async () => {
    const configuration = { returnImmediately: true };
    for (const binding of await bindingsOf('strict')) {
      const params = { message: userMessage('hello'), configuration };
      const outcome = await binding.invoke({
        operation: 'SendMessage',
        params,
        headers: { 'a2a-extensions': needed },
      });
      expect(outcome).toHaveProperty('result.task');
    }
  });
});

const sending = (message: object): Request => ({ operation: 'SendMessage', params: { message } });
