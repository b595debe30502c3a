import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { get, post, submit, userMessage } from './support/client.ts';
import { chunk } from './support/events.ts';
import { grpcAddressOf } from './support/grpc-address.ts';
import { openStage, type Stage } from './support/stage.ts';

const MIB = 1_024 * 1_024;
/** More than a loopback connection buffers for a client that does not read. */
const BYTES = 12 * MIB;
const text = 'ä'.repeat(BYTES / 2);

let stage: Stage;
/** Ids of two large tasks. */
let ids: string[];
const open: Socket[] = [];

beforeAll(async () => {
  stage = await openStage({
    gateway: { grpc: { port: 0, publicAddress: 'auto' } },
    store: { maxAnswerBytes: 20 * MIB, readCacheBytes: 0 },
  });
  ids = await Promise.all([largeTask(), largeTask()]);
});

afterAll(async () => {
  for (const socket of open) socket.destroy();
  await stage[Symbol.asyncDispose]();
});

async function largeTask(): Promise<string> {
  const { id } = await submit(stage.url, userMessage('hello'));
  const turn = await stage.beginTurn(id);
  await turn.publish(chunk('', { append: false }));
  for (let at = 0; at < text.length; at += MIB) await turn.publish(chunk(text.slice(at, at + MIB)));
  return id;
}

/** Sends a request, and reads only the first bytes of the answer. */
async function requestWithoutReading(path: string): Promise<Socket> {
  const { hostname, port } = new URL(stage.url);
  const socket = connect(Number(port), hostname);
  open.push(socket);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
  await once(socket, 'readable');
  return socket;
}

const textOf = (task: unknown): string =>
  (task as { artifacts: { parts: { text: string }[] }[] }).artifacts[0]?.parts[0]?.text ?? '';

describe('A large task', () => {
  it('is returned whole, though it is read and written in pieces', async () => {
    const { body } = await get(`${stage.url}/tasks/${ids[0]}`);
    expect(textOf(body)).toBe(text);
    const call = { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: ids[0] } };
    const { body: answer } = await post<{ result: unknown }>(stage.url, call);
    expect(textOf(answer.result)).toBe(text);
  });

  it('is sent to any number of readers, which share its bytes', async () => {
    const readers = await Promise.all(Array.from({ length: 10 }, () => requestWithoutReading(`/tasks/${ids[0]}`)));
    const streams = await Promise.all(
      Array.from({ length: 10 }, () => requestWithoutReading(`/tasks/${ids[0]}:subscribe`)),
    );
    for (const socket of [...readers, ...streams]) {
      expect(String(socket.read(15))).toBe('HTTP/1.1 200 OK');
      socket.destroy();
    }
  });

  it.each(['', ':subscribe'])(
    'causes 503 for another large task while it is being sent: /tasks/{id}%s',
    async (end) => {
      const reader = await requestWithoutReading(`/tasks/${ids[0]}${end}`);
      const refused = await get<object>(`${stage.url}/tasks/${ids[1]}`);
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toBe('1');
      const asked = await fetch(`${stage.url}/tasks/${ids[1]}:subscribe`);
      expect(asked.status).toBe(503);
      expect(await asGrpc(ids[1] ?? '')).toBe(status.UNAVAILABLE);
      reader.destroy();
      const isServed = async (): Promise<boolean> => (await get(`${stage.url}/tasks/${ids[1]}`)).status === 200;
      await until(isServed, { what: 'there is room again' });
    },
  );

  it('counts until a stream has sent it, though the stream stays open', async () => {
    const { hostname, port } = new URL(stage.url);
    const socket = connect(Number(port), hostname);
    open.push(socket);
    let read = 0;
    socket.on('data', ({ length }) => {
      read += length;
    });
    socket.write(`GET /tasks/${ids[0]}:subscribe HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    await until(() => read > BYTES, { what: 'the stream has begun' });
    const isServed = async (): Promise<boolean> => (await get(`${stage.url}/tasks/${ids[1]}`)).status === 200;
    await until(isServed, { what: 'there is room' });
    socket.destroy();
  });

  it('counts until a 0.3 stream over gRPC has sent it, though the stream stays open', async () => {
    const options = { 'grpc.max_receive_message_length': -1 };
    const client = new Client(await grpcAddressOf(stage.url), credentials.createInsecure(), options);
    const { path, requestSerialize, responseDeserialize } = LegacyA2AService.taskSubscription;
    const request = { name: `tasks/${ids[0]}` };
    const call = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request);
    call.on('error', () => undefined);
    await once(call, 'data');
    const isServed = async (): Promise<boolean> => (await get(`${stage.url}/tasks/${ids[1]}`)).status === 200;
    await until(isServed, { what: 'there is room' });
    call.cancel();
    client.close();
  });
});

/** The gRPC status of GetTask. */
async function asGrpc(id: string): Promise<number> {
  const client = new Client(await grpcAddressOf(stage.url), credentials.createInsecure());
  const { path, requestSerialize, responseDeserialize } = A2AService.getTask;
  const { promise, resolve } = Promise.withResolvers<number>();
  const request = { tenant: '', id, historyLength: undefined };
  client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, (error: ServiceError | null) =>
    resolve(error?.code ?? status.OK),
  );
  const code = await promise;
  client.close();
  return code;
}
