import { randomUUID } from 'node:crypto';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { Metadata, type ServiceError } from '@grpc/grpc-js';
import { type AgentCard, resumableStreamsUri, type StreamResponse, type Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../../tests/support/until.ts';
import type { GatewaySettings } from '../../src/index.ts';
import { defaultResourceSettings } from '../../src/settings/limit-settings.ts';
import { messagesOf } from '../support/bindings/messages.ts';
import type { Invocation } from '../support/bindings/outcome.ts';
import { type Draft, definitionOf } from '../support/bindings/over-grpc.ts';
import { call, type ErrorBody, get, post, submit, userMessage } from '../support/client.ts';
import { asked, chunk, completed, replied, working } from '../support/events.ts';
import { openStage, type Stage } from '../support/stage.ts';
import { bindingNames, type Client, clientOf, closeClients, grpcBindingOf, in1_1, type Numbered } from './clients.ts';
import { draft } from './draft-1.1.ts';

// A2A 1.1, 3.2.7, over each binding: branch dev-1.1 of a2aproject/A2A.

const grpc: GatewaySettings['grpc'] = { port: 0, publicAddress: 'auto' };

let stage: Stage;
/** URLs of a gateway with the preview, and of one without. */
let url: string;
let without: string;

beforeAll(async () => {
  stage = await openStage({ gateway: { grpc, preview: true } });
  url = stage.url;
  without = await stage.another({ grpc });
});

afterAll(async () => {
  closeClients();
  await stage[Symbol.asyncDispose]();
});

const sending = (message: object, configuration: object = {}): Invocation => ({
  operation: 'SendMessage',
  params: { message, configuration: { returnImmediately: true, ...configuration } },
});

const generationIn = (event: StreamResponse): string | undefined => {
  const payload: Numbered<object> | undefined = event.task ?? event.statusUpdate ?? event.artifactUpdate;
  return payload?.generation;
};

const numbersFrom = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => String(first + i));

/** A task of generation 3, which waits for input. */
async function waitingTask(): Promise<Task> {
  const task = await submit(url);
  const turn = await stage.beginTurn(task.id);
  await turn.publish(working());
  await turn.publish(asked('what?'));
  return task;
}

describe.each(bindingNames)('over %s', (name) => {
  let client: Client;

  beforeAll(async () => {
    client = await clientOf(name, url);
  });

  const read = (id: string, params: object = {}): Promise<Numbered<Task>> =>
    client.ask({ operation: 'GetTask', params: { id, ...params } });

  describe('a generation', () => {
    it('is 1 for a new task, and grows by one with every event', async () => {
      const { task } = await client.ask<{ task: Numbered<Task> }>(sending(userMessage('hello')));
      expect(task.generation).toBe('1');
      const turn = await stage.beginTurn(task.id);
      const events = [working('on it'), chunk('a', { append: false }), chunk('b'), chunk('c'), working(), completed()];
      for (const [i, event] of events.entries()) {
        await turn.publish(event);
        await turn.flush();
        expect((await read(task.id)).generation).toBe(String(i + 2));
      }
    });

    it('is in each event of a stream, without gaps', async () => {
      const contextId = randomUUID();
      const params = { message: userMessage('hello', { contextId }) };
      const streamed = client.ask<StreamResponse[]>({ operation: 'SendStreamingMessage', params });
      const turn = await stage.beginTurn(await stage.taskIn(contextId));
      const chunks = Array.from({ length: 40 }, (_, i) => chunk(`${i} `, { append: i > 0 }));
      // Not awaited one by one: events are written in batches.
      await Promise.all([working('on it'), ...chunks, completed()].map((event) => turn.publish(event)));
      const events = await streamed;
      expect(events.map(generationIn)).toEqual(numbersFrom(1, 43));
    });

    it('of a late stream starts with that of the task', async () => {
      const { id } = await submit(url);
      const turn = await stage.beginTurn(id);
      await turn.publish(working());
      await turn.publish(chunk('a', { append: false }));
      await turn.flush();
      const late = client.ask<StreamResponse[]>({ operation: 'SubscribeToTask', params: { id } });
      await until(() => stage.store.feeds.readersOf(id).length > 0, { what: 'it is followed' });
      await turn.publish(chunk('b'));
      await turn.publish(completed());
      const events = await late;
      expect(events.map(generationIn)).toEqual(numbersFrom(3, 3));
      expect(events[0]?.task?.id).toBe(id);
    });

    it("resumes a stream, which has the extension's event ids, too", async () => {
      const { id } = await submit(url);
      const turn = await stage.beginTurn(id);
      for (const event of [working(), chunk('a', { append: false }), chunk('b'), completed()])
        await turn.publish(event);
      const headers = { 'last-event-id': '2', 'a2a-extensions': resumableStreamsUri };
      const events = await client.ask<StreamResponse[]>({ operation: 'SubscribeToTask', params: { id }, headers });
      expect(events.map(generationIn)).toEqual(numbersFrom(3, 3));
      expect(events.at(-1)?.statusUpdate?.metadata).toMatchObject({
        [resumableStreamsUri]: { eventId: expect.stringMatching(/^5/) },
      });
    });

    it('is in each task of a list', async () => {
      const contextId = randomUUID();
      const first = await submit(url, userMessage('one', { contextId }));
      await (await stage.beginTurn(first.id)).publish(working());
      await submit(url, userMessage('two', { contextId }));
      const { tasks } = await client.ask<{ tasks: Numbered<Task>[] }>({
        operation: 'ListTasks',
        params: { contextId },
      });
      expect(tasks.map(({ generation }) => generation).sort()).toEqual(['1', '2']);
      expect(
        (await client.ask<{ tasks?: unknown }>({ operation: 'ListTasks', params: { contextId: 'none' } })).tasks ?? [],
      ).toEqual([]);
    });

    it('is in a large task, and nothing else differs', async () => {
      const { id } = await submit(url);
      const turn = await stage.beginTurn(id);
      // Large enough that the task is joined from parts.
      for (let i = 0; i < 4; i++) await turn.publish(chunk('a line\n'.repeat(20_000), { append: i > 0 }));
      await turn.publish(asked('what?'));
      const { generation, ...task } = await read(id);
      const older = await client.ask({ operation: 'GetTask', params: { id }, headers: { 'a2a-version': '1.0' } });
      expect([generation, task]).toEqual(['6', older]);
      const stream = { operation: 'SubscribeToTask', params: { id }, mostEvents: 1 };
      const [event] = await client.ask<StreamResponse[]>(stream);
      expect(event).toEqual({ task: { generation: '6', ...task } });
    });

    it('counts the cancellation', async () => {
      const { id } = await submit(url);
      const task = await client.ask<Numbered<Task>>({ operation: 'CancelTask', params: { id } });
      expect([task.status.state, task.generation]).toEqual(['TASK_STATE_CANCELED', '2']);
    });

    it('is in the answer of a blocking send, whatever it waits for', async () => {
      for (const events of [[completed()], [working('on it'), chunk('a', { append: false }), asked('what?')]]) {
        const contextId = randomUUID();
        const params = { message: userMessage('hello', { contextId }) };
        const answer = client.ask<{ task: Numbered<Task> }>({ operation: 'SendMessage', params });
        const turn = await stage.beginTurn(await stage.taskIn(contextId));
        for (const event of events) await turn.publish(event);
        const { task } = await answer;
        expect(task.generation).toBe(String(events.length + 1));
      }
    });

    it('is in no plain message', async () => {
      const contextId = randomUUID();
      const params = { message: userMessage('hello', { contextId }) };
      const answer = client.ask<object>({ operation: 'SendMessage', params });
      await (await stage.beginTurn(await stage.taskIn(contextId))).publish(replied('yes'));
      expect(JSON.stringify(await answer)).not.toContain('generation');
    });

    it('is in no answer to a 1.0 client', async () => {
      const { id } = await waitingTask();
      const { id: followed } = await waitingTask();
      const headers = { 'a2a-version': '1.0' };
      const answers = [
        await client.ask({ operation: 'GetTask', params: { id, currentGeneration: 99 }, headers }),
        await client.ask({ operation: 'SubscribeToTask', params: { id: followed }, headers, mostEvents: 1 }),
        await client.ask({ operation: 'ListTasks', params: { pageSize: 2 }, headers }),
        await client.ask({ ...sending(userMessage('hi', { taskId: id }), { ifGenerationMatch: 99 }), headers }),
        await client.ask({ operation: 'CancelTask', params: { id, ifGenerationMatch: 99 }, headers }),
      ];
      expect(JSON.stringify(answers)).not.toContain('generation');
    });
  });

  describe('a long poll', () => {
    it('is answered at once if the generation is higher already', async () => {
      const { id } = await waitingTask();
      expect((await read(id, { currentGeneration: 2 })).generation).toBe('3');
    });

    it('is answered as soon as the generation is higher', async () => {
      const { id } = await submit(url);
      let answered: Numbered<Task> | undefined;
      const poll = read(id, { currentGeneration: 2 }).then((task) => {
        answered = task;
      });
      const turn = await stage.beginTurn(id);
      await until(() => stage.store.feeds.readersOf(id)[0]?.kind === 'poll', { what: 'the poll waits' });
      await turn.publish(working());
      await until(() => stage.store.feeds.readersOf(id)[0]?.seq === 2, { what: 'the poll has seen the event' });
      expect(answered).toBeUndefined();
      await turn.publish(chunk('a', { append: false }));
      await poll;
      expect(answered?.generation).toBe('3');
    });

    it('is answered with the current task when the time is up', async () => {
      const impatient = await clientOf(name, await stage.another({ grpc, preview: true, maxPollWaitMs: 30 }));
      const { id } = await submit(url);
      const task = await impatient.ask<Numbered<Task>>({ operation: 'GetTask', params: { id, currentGeneration: 7 } });
      expect([task.status.state, task.generation]).toEqual(['TASK_STATE_SUBMITTED', '1']);
    });

    it('does not wait for a task that has ended', async () => {
      const { id } = await submit(url);
      await (await stage.beginTurn(id)).publish(completed());
      expect((await read(id, { currentGeneration: 99 })).generation).toBe('2');
    });

    it('counts towards the limit of waiting requests', async () => {
      const held = { total: 10, perTenant: 10, perPrincipal: 1 };
      const resources = { ...defaultResourceSettings, held };
      const small = await clientOf(name, await stage.another({ grpc, preview: true, resources }));
      const { id } = await submit(url);
      const poll = { operation: 'GetTask', params: { id, currentGeneration: 1 } };
      const first = small.ask<Numbered<Task>>(poll);
      await until(() => stage.store.feeds.readersOf(id).length > 0, { what: 'the poll waits' });
      expect(await small.refused(poll)).toMatchObject({ reason: 'RATE_LIMITED' });
      await (await stage.beginTurn(id)).publish(completed());
      expect((await first).generation).toBe('2');
    });

    it('is answered with the current task when the gateway stops', async () => {
      const stopping = await openStage({ gateway: { grpc, preview: true } });
      const other = await clientOf(name, stopping.url);
      const { id } = await submit(stopping.url);
      const poll = other.ask<Numbered<Task>>({ operation: 'GetTask', params: { id, currentGeneration: 1 } });
      await until(() => stopping.store.feeds.readersOf(id).length > 0, { what: 'the poll waits' });
      await Promise.all([stopping.gateway.stop(), poll.then((task) => expect(task.generation).toBe('1'))]);
      await stopping[Symbol.asyncDispose]();
    });

    // Protobuf has no such numbers.
    it.skipIf(name === 'GRPC').each(['soon', 1.5])('refuses a generation such as %j', async (currentGeneration) => {
      const { id } = await submit(url);
      const error = await client.refused({ operation: 'GetTask', params: { id, currentGeneration } });
      expect(error).toMatchObject({ reason: 'INVALID_PARAMS', violations: ['currentGeneration'] });
    });
  });

  describe('a message with an expected generation', () => {
    it('is accepted by a task of this generation', async () => {
      const { id: taskId } = await waitingTask();
      const { task } = await client.ask<{ task: Numbered<Task> }>(
        sending(userMessage('this', { taskId }), { ifGenerationMatch: 3 }),
      );
      expect([task.status.state, task.generation]).toEqual(['TASK_STATE_SUBMITTED', '4']);
    });

    it.each(['SendMessage', 'SendStreamingMessage'])(
      'is refused by %s otherwise, without any effect',
      async (operation) => {
        const { id: taskId } = await waitingTask();
        const message = userMessage('this', { taskId });
        const invocation = { ...sending(message, { ifGenerationMatch: 2 }), operation };
        expect(await client.refused(invocation)).toEqual({
          message: 'Task generation mismatch: expected 2 but current generation is 3',
          reason: 'TASK_GENERATION_MISMATCH',
          metadata: { taskId, expectedGeneration: '2', currentGeneration: '3' },
          violations: [],
        });
        const task = await read(taskId);
        expect([task.generation, task.history?.length]).toEqual(['3', 2]);
        // The same message can then be sent for the current generation.
        const again = await client.ask<{ task: Task }>(sending(message, { ifGenerationMatch: 3 }));
        expect(again.task.status.state).toBe('TASK_STATE_SUBMITTED');
      },
    );

    it('creates a task, whatever generation it names', async () => {
      const { task } = await client.ask<{ task: Numbered<Task> }>(sending(userMessage('hi'), { ifGenerationMatch: 9 }));
      expect(task.generation).toBe('1');
    });

    it('gets the first answer when it is repeated, though the generation is higher by then', async () => {
      const { id: taskId } = await waitingTask();
      const invocation = sending(userMessage('this', { taskId }), { ifGenerationMatch: 3 });
      await client.ask(invocation);
      await client.ask(invocation);
      expect((await read(taskId)).history).toHaveLength(3);
    });

    it('is accepted once if many come together', async () => {
      const { id: taskId } = await waitingTask();
      const sent = Array.from({ length: 16 }, (_, i) =>
        client
          .ask(sending(userMessage(`answer ${i}`, { taskId }), { ifGenerationMatch: 3 }))
          .then(() => 'accepted')
          .catch((error: Error) => (error.message.includes('TASK_GENERATION_MISMATCH') ? 'refused' : error.message)),
      );
      const verdicts = await Promise.all(sent);
      expect(verdicts.filter((verdict) => verdict === 'accepted')).toHaveLength(1);
      expect(new Set(verdicts)).toEqual(new Set(['accepted', 'refused']));
      expect((await read(taskId)).history).toHaveLength(3);
    });

    it('gets TaskNotFound for an unknown task', async () => {
      const message = userMessage('this', { taskId: randomUUID() });
      expect(await client.refused(sending(message, { ifGenerationMatch: 3 }))).toMatchObject({
        reason: 'TASK_NOT_FOUND',
      });
    });
  });

  it('a gateway without the preview refuses version 1.1', async () => {
    const other = await clientOf(name, without);
    const error = await other.refused({ operation: 'GetTask', params: { id: 'any' } });
    expect(error).toEqual({
      message: expect.stringContaining('this method or path belongs to A2A 1.0'),
      reason: 'VERSION_NOT_SUPPORTED',
      metadata: { requested: '1.1', supported: '1.0' },
      violations: ['A2A-Version'],
    });
  });
});

/** Sends a message for a generation that the task does not have. */
async function grpcStatusOf(taskId: string): Promise<number> {
  const { path, requestSerialize, responseDeserialize } = definitionOf('SendMessage');
  const { request } = messagesOf('SendMessage');
  const { params, ...invocation } = sending(userMessage('this', { taskId }), { ifGenerationMatch: 1 });
  const binding = await grpcBindingOf(url);
  const serialize = (message: unknown): Buffer => draft.request(requestSerialize(message), { ...invocation, params });
  const metadata = new Metadata();
  metadata.set('a2a-version', '1.1');
  const { promise, resolve } = Promise.withResolvers<number>();
  const ended = (error: ServiceError | null): void => resolve(error?.code ?? 0);
  binding.client.makeUnaryRequest(path, serialize, responseDeserialize, request.fromJSON(params), metadata, ended);
  return promise;
}

describe('a generation mismatch', () => {
  it("has the specification's error code in each binding", async () => {
    const { id: taskId } = await waitingTask();
    const body = { message: userMessage('this', { taskId }), configuration: { ifGenerationMatch: 1 } };
    const rest = await post<ErrorBody>(`${url}/message:send`, body, in1_1);
    expect([rest.status, rest.body.error.code, rest.body.error.status]).toEqual([409, 409, 'ABORTED']);
    const rpc = await call<ErrorBody>(url, 'SendMessage', body, in1_1);
    expect([rpc.status, rpc.body.error.code]).toEqual([200, -32_010]);
    expect(await grpcStatusOf(taskId)).toBe(10);
  });
});

describe('a cancel with an expected generation', () => {
  it('cancels only a task of this generation, in the HTTP bindings', async () => {
    for (const name of ['JSON-RPC', 'HTTP+JSON'] as const) {
      const client = await clientOf(name, url);
      const { id } = await waitingTask();
      const cancel = (ifGenerationMatch: number): Invocation => ({
        operation: 'CancelTask',
        params: { id, ifGenerationMatch },
      });
      expect(await client.refused(cancel(2))).toMatchObject({
        reason: 'TASK_GENERATION_MISMATCH',
        metadata: { taskId: id, expectedGeneration: '2', currentGeneration: '3' },
      });
      const canceled = await client.ask<Numbered<Task>>(cancel(3));
      expect([canceled.status.state, canceled.generation]).toEqual(['TASK_STATE_CANCELED', '4']);
      // Repeated, it is done already.
      expect((await client.ask<Numbered<Task>>(cancel(3))).generation).toBe('4');
    }
  });

  it('is checked once, and not again while the turn stops', async () => {
    const client = await clientOf('JSON-RPC', await stage.another({ grpc, preview: true, cancelWaitMs: 10 }));
    const { id } = await submit(url);
    const turn = await stage.beginTurn(id);
    await turn.publish(working());
    await turn.publish(chunk('a', { append: false }));
    await turn.flush();
    const cancel: Invocation = { operation: 'CancelTask', params: { id, ifGenerationMatch: 3 } };
    expect((await client.ask<Numbered<Task>>(cancel)).generation).toBe('3');
    await turn.publish(chunk('b'));
    await turn.flush();
    expect((await client.ask<Numbered<Task>>(cancel)).generation).toBe('4');
  });

  it('is checked again in a retry with its Idempotency-Key, unless it was done', async () => {
    for (const name of ['JSON-RPC', 'HTTP+JSON'] as const) {
      const client = await clientOf(name, url);
      const { id } = await waitingTask();
      const headers = { 'idempotency-key': randomUUID() };
      const cancel = (ifGenerationMatch: number): Invocation => ({
        ...{ operation: 'CancelTask', params: { id, ifGenerationMatch }, headers },
      });
      for (let tries = 0; tries < 2; tries++)
        expect(await client.refused(cancel(2))).toMatchObject({ reason: 'TASK_GENERATION_MISMATCH' });
      for (let tries = 0; tries < 2; tries++)
        expect((await client.ask<Numbered<Task>>(cancel(3))).generation).toBe('4');
      expect(await client.refused(cancel(4))).toMatchObject({ reason: 'CONFLICT' });
    }
  });
});

it('a long poll is removed when its client disconnects', async () => {
  const { id } = await submit(url);
  const leave = new AbortController();
  const poll = fetch(`${url}/tasks/${id}?currentGeneration=1`, { headers: in1_1, signal: leave.signal });
  await until(() => stage.store.feeds.readersOf(id).length > 0, { what: 'the poll waits' });
  leave.abort();
  await expect(poll).rejects.toThrow();
  await until(() => stage.store.feeds.readersOf(id).length === 0, { what: 'nobody waits' });
});

describe('an answer in 1.1', () => {
  it('names its version, also for caches; an answer in 1.0 does not', async () => {
    const { id } = await submit(url);
    const newer = await get<Numbered<Task>>(`${url}/tasks/${id}`, in1_1);
    expect(newer.headers.get('a2a-version')).toBe('1.1');
    expect(newer.headers.get('vary')).toContain('A2A-Version');
    const older = await get<Task>(`${url}/tasks/${id}`, { 'a2a-version': '1.0' });
    expect(older.headers.get('a2a-version')).toBe('1.0');
    const { generation, ...rest } = newer.body;
    expect([generation, rest]).toEqual(['1', older.body]);
  });

  it('has its own ETag, so that no client confuses the versions', async () => {
    const { id } = await submit(url);
    const path = `${url}/tasks/${id}`;
    const newer = (await get(path, in1_1)).headers.get('etag') ?? '';
    const older = (await get(path)).headers.get('etag') ?? '';
    const statusOf = async (etag: string, headers = {}): Promise<number> =>
      (await get(path, { 'if-none-match': etag, ...headers })).status;
    expect([await statusOf(newer, in1_1), await statusOf(older)]).toEqual([304, 304]);
    expect([await statusOf(older, in1_1), await statusOf(newer)]).toEqual([200, 200]);
  });

  it('is not available to methods of 0.3', async () => {
    const { body } = await call<ErrorBody>(url, 'tasks/get', { id: 'any' }, in1_1);
    expect(body.error.data?.[0]).toMatchObject({ reason: 'VERSION_NOT_SUPPORTED' });
  });
});

describe('an answer in 1.0', () => {
  it('is byte for byte the same with and without the preview', async () => {
    const { id } = await waitingTask();
    const rpc = (method: string): RequestInit => ({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { id, currentGeneration: 99 } }),
    });
    const requests: [path: string, init?: RequestInit][] = [
      [`/tasks/${id}?currentGeneration=99`],
      [`/tasks?pageSize=5`],
      ['', rpc('GetTask')],
      ['', rpc('ListTasks')],
      ['', rpc('tasks/get')],
      [`/v1/tasks/${id}`],
      [`/tasks/nothing`],
    ];
    for (const [path, init] of requests) {
      const [one, other] = await Promise.all([url, without].map((base) => bytesOf(base + path, init)));
      expect(one, path).toEqual(other);
    }
  });

  it('is the same in streams, also of 0.3, and over gRPC', async () => {
    const { id } = await submit(url);
    const rpc = (method: string): RequestInit => ({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { id } }),
    });
    const read = async (base: string): Promise<readonly string[]> => {
      const frames: string[] = [];
      const answer: Draft['answer'] = (bytes) => frames.push(bytes.toString('hex'));
      const binding = await grpcBindingOf(base, { answer });
      const overHttp: [path: string, init?: RequestInit][] = [
        [`/tasks/${id}:subscribe`],
        ['', rpc('SubscribeToTask')],
        ['', rpc('tasks/resubscribe')],
        [`/v1/tasks/${id}:subscribe`, { method: 'POST' }],
      ];
      const [texts] = await Promise.all([
        Promise.all(overHttp.map(async ([path, init]) => (await fetch(base + path, init)).text())),
        binding.invoke({ operation: 'SubscribeToTask', params: { id } }),
      ]);
      return [...texts, frames.join()];
    };
    const both = Promise.all([url, without].map(read));
    await until(() => stage.store.feeds.readersOf(id).length === 10, { what: 'all follow' });
    const turn = await stage.beginTurn(id);
    for (const event of [working(), chunk('a', { append: false }), chunk('b'), completed()]) await turn.publish(event);
    const [one, other] = await both;
    expect(one).toEqual(other);
    expect(one?.map((text) => text.length > 200)).toEqual([true, true, true, true, true]);
    expect(one?.join()).not.toContain('generation');
  });

  it('exists over gRPC, though 1.1 uses a field number of the request with another type', async () => {
    const { id } = await waitingTask();
    const request = (bytes: Buffer): Buffer =>
      Buffer.concat([bytes, new BinaryWriter().tag(4, WireType.LengthDelimited).string('text').finish()]);
    const binding = await grpcBindingOf(url, { request });
    expect(await binding.invoke({ operation: 'GetTask', params: { id } })).toMatchObject({ result: { id } });
  });

  it('is the same over gRPC, though its request has fields of 1.1', async () => {
    const { id } = await waitingTask();
    const answers = [url, without].map(async (base) => {
      const bytes: Buffer[] = [];
      const answer: Draft['answer'] = (given) => bytes.push(given);
      const binding = await grpcBindingOf(base, { answer });
      await binding.invoke({ operation: 'GetTask', params: { id, currentGeneration: 99 } });
      await binding.invoke({ operation: 'ListTasks', params: { pageSize: 5 } });
      return Buffer.concat(bytes).toString('hex');
    });
    const [one, other] = await Promise.all(answers);
    expect(one).toBe(other);
    expect(one?.length).toBeGreaterThan(200);
  });
});

/** Status, headers without those that always differ, and body. */
async function bytesOf(target: string, init?: RequestInit): Promise<unknown> {
  const response = await fetch(target, init);
  const headers = Object.fromEntries(response.headers);
  return {
    status: response.status,
    headers: { ...headers, 'x-request-id': '', date: '' },
    body: await response.text(),
  };
}

describe('the agent card', () => {
  it('lists 1.1 after 1.0 at the same addresses, if it is served', async () => {
    const versions = async (base: string): Promise<string[]> => {
      const { body } = await get<AgentCard>(`${base}/.well-known/agent-card.json`);
      return body.supportedInterfaces.map(
        ({ protocolBinding, protocolVersion }) => `${protocolBinding} ${protocolVersion}`,
      );
    };
    const of = (version: string): string[] => ['JSONRPC', 'HTTP+JSON', 'GRPC'].map((name) => `${name} ${version}`);
    expect(await versions(url)).toEqual([...of('1.0'), ...of('1.1'), ...of('0.3')]);
    expect(await versions(without)).toEqual([...of('1.0'), ...of('0.3')]);
  });
});
