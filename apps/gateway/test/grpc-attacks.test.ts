import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionOptions,
  connect,
  constants,
} from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { Duplex, Transform } from 'node:stream';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import type { OpenTurn } from '@switchyard/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { Gate } from '../src/admission/gate.ts';
import { Origins } from '../src/admission/origins.ts';
import { Authentication } from '../src/auth/authentication.ts';
import { GrpcListener } from '../src/bindings/grpc/grpc-listener.ts';
import { HeldRequests } from '../src/call/held-requests.ts';
import { createLimitedResources } from '../src/limits/limited-resources.ts';
import { Rates } from '../src/limits/rates.ts';
import { defaultGatewaySettings, defaultGrpcLimits } from '../src/settings/gateway-settings.ts';
import type { GatewayEvent } from '../src/telemetry/events.ts';
import { messagesOf } from './support/bindings/messages.ts';
import { definitionOf } from './support/bindings/over-grpc.ts';
import { submit, userMessage } from './support/client.ts';
import { chunk } from './support/events.ts';
import { grpcAddressOf } from './support/grpc-address.ts';
import { openStage, type Stage } from './support/stage.ts';

const key = 'key-of-alice-0123456789';
const auth = { keys: [{ key, subject: 'alice', tenant: 'default', scopes: [] }] } as const;
const listTasks = '/lf.a2a.v1.A2AService/ListTasks';
const sendMessage = '/lf.a2a.v1.A2AService/SendMessage';
const subscribeToTask = '/lf.a2a.v1.A2AService/SubscribeToTask';
const check = '/grpc.health.v1.Health/Check';
const watch = '/grpc.health.v1.Health/Watch';

let stage: Stage;
const open: (() => void)[] = [];

beforeAll(async () => {
  stage = await openStage({ gateway: { grpc: { port: 0, publicAddress: 'auto' } } });
});

afterAll(async () => {
  for (const close of open) close();
  await stage[Symbol.asyncDispose]();
});

/** A gateway with these limits, and a bare HTTP/2 connection to it. */
async function attack(
  settings: Parameters<Stage['another']>[0] = {},
  options: ClientSessionOptions = {},
): Promise<ClientHttp2Session> {
  const url = await stage.another({ grpc: { port: 0, publicAddress: 'auto' }, ...settings });
  const session = connect(`http://${await grpcAddressOf(url)}`, options);
  session.on('error', () => undefined);
  open.push(() => session.destroy());
  return session;
}

const limits = (some: Partial<typeof defaultGrpcLimits>) => ({ grpcLimits: { ...defaultGrpcLimits, ...some } });

interface Attempt {
  readonly stream: ClientHttp2Stream;
  /** The gRPC status, as soon as it has come. */
  readonly status: () => number | undefined;
}

function call(session: ClientHttp2Session, path: string, headers: Readonly<Record<string, string>> = {}): Attempt {
  const stream = session.request(
    { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers', ...headers },
    { endStream: false },
  );
  let code: number | undefined;
  const note = (found: object): void => {
    if ('grpc-status' in found) code = Number(found['grpc-status']);
  };
  stream.on('response', note).on('trailers', note);
  stream.on('error', () => undefined);
  return { stream, status: () => code };
}

/** The five bytes before a message of this length. */
function prefix(bytes: number): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes, 1);
  return head;
}

const whole = (message: Uint8Array): Buffer => Buffer.concat([prefix(message.length), message]);

describe('a client without a key', () => {
  it('is refused before its message is read, and its stream is closed', async () => {
    const { stream, status: code } = call(await attack({ auth }), listTasks);
    stream.write(prefix(1_000_000));
    const sends = setInterval(() => stream.writable && stream.write(Buffer.alloc(1_000)), 20);
    await until(() => stream.closed, { what: 'the stream is closed' });
    clearInterval(sends);
    expect(code()).toBe(status.UNAUTHENTICATED);
  });

  it('may check the health, but not watch it', async () => {
    const session = await attack({ auth });
    const [asked, watched] = [call(session, check), call(session, watch)];
    for (const { stream } of [asked, watched]) stream.end(prefix(0)).resume();
    await until(() => asked.status() !== undefined && watched.status() !== undefined, { what: 'both are answered' });
    expect(asked.status()).toBe(status.OK);
    expect(watched.status()).toBe(status.UNAUTHENTICATED);
  });

  it('may send the health check only a small message, without delay', async () => {
    const session = await attack({ auth });
    const [large, late] = [call(session, check), call(session, check)];
    large.stream.write(Buffer.concat([prefix(2_000), Buffer.alloc(1_500)]));
    await until(() => large.stream.closed, { what: 'the stream is closed' });
    expect(large.stream.rstCode).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    late.stream.write(prefix(10));
    await until(() => late.stream.closed, { what: 'the stream is closed' });
    expect(late.status()).toBe(status.INVALID_ARGUMENT);
    await expectHealthy(session);
  });

  it('gets UNAUTHENTICATED from a gRPC client that still sends a large message', async () => {
    const url = await stage.another({ grpc: { port: 0, publicAddress: 'auto' }, auth });
    const client = new Client(await grpcAddressOf(url), credentials.createInsecure());
    open.push(() => client.close());
    const { path, requestSerialize, responseDeserialize } = definitionOf('SendMessage');
    const request = messagesOf('SendMessage').request.fromJSON({ message: userMessage('x'.repeat(1_000_000)) });
    const refusals = Array.from({ length: 20 }, () => {
      const { promise, resolve } = Promise.withResolvers<number | undefined>();
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, new Metadata(), (error) =>
        resolve(error?.code),
      );
      return promise;
    });
    expect(await Promise.all(refusals)).toEqual(refusals.map(() => status.UNAUTHENTICATED));
  });
});

describe('An HTTP/2 request that no gRPC client sends', () => {
  it.each([
    ['without a content type', '/', {}],
    ['for an unknown method', '/x', { 'content-type': 'application/grpc' }],
    ['for a method', listTasks, { 'content-type': 'application/grpc' }],
    ['for the health check', check, { 'content-type': 'application/grpc' }],
  ])('is a HEAD %s: it is answered', async (_, path, headers) => {
    const session = await attack();
    for (const endStream of [true, false]) {
      const stream = session.request({ ':method': 'HEAD', ':path': path, ...headers }, { endStream });
      const answered = once(stream, 'response');
      stream.on('error', () => undefined).resume();
      // Methods read the request first.
      if (!endStream && path.length > 2) stream.end(prefix(0));
      await answered;
      await until(() => stream.closed, { what: 'the stream is closed' });
    }
    await expectHealthy(session);
  });
});

async function expectHealthy(session: ClientHttp2Session): Promise<void> {
  const { stream, status: code } = call(session, check);
  stream.end(prefix(0)).resume();
  await until(() => code() !== undefined, { what: 'the health check is answered' });
  expect(code()).toBe(status.OK);
}

describe('An authenticated caller', () => {
  it('must send the message in time', async () => {
    const { stream, status: code } = call(await attack(limits({ messageMs: 200 })), listTasks);
    stream.write(prefix(1_000));
    await until(() => stream.closed, { what: 'the stream is closed' });
    expect(code()).toBe(status.INVALID_ARGUMENT);
  });

  it('must send a health check in time, too', async () => {
    const { stream } = call(await attack(limits({ messageMs: 200 })), check);
    await until(() => stream.closed, { what: 'the stream is closed' });
  });

  it('can open at most a hundred health watches', async () => {
    const session = await attack();
    const attempts = Array.from({ length: 300 }, () => call(session, watch));
    let refused = 0;
    for (const { stream } of attempts)
      stream
        .end(prefix(0))
        .resume()
        .on('close', () => refused++);
    await until(() => refused === 200, { what: '200 are refused' });
    attempts.find(({ stream }) => !stream.closed)?.stream.close(constants.NGHTTP2_CANCEL);
    const isLetIn = async (): Promise<boolean> => {
      const { stream, status: code } = call(session, watch);
      stream.end(prefix(0)).resume();
      await once(stream, 'response');
      return code() === undefined;
    };
    await until(isLetIn, { what: 'there is room for another one' });
  });

  it('can watch the health again after 150 watches that failed early', async () => {
    const session = await attack();
    const ended = Array.from({ length: 150 }, () => call(session, watch, { 'grpc-timeout': 'x' }));
    await until(() => ended.every(({ stream }) => stream.resume().closed), { what: 'all have ended' });
    const { stream, status: code } = call(session, watch);
    stream.end(prefix(0)).resume();
    await once(stream, 'response');
    expect(code()).toBeUndefined();
  });

  it.each([
    ['an invalid timeout', { 'grpc-timeout': 'x' }, Buffer.alloc(0)],
    ['a message that cannot be decompressed', { 'grpc-encoding': 'gzip' }, Buffer.from([1, 0, 0, 0, 2, 7, 7])],
  ])('gets INVALID_ARGUMENT, not an internal error, for %s', async (_, headers, bytes) => {
    const { stream, status: code } = call(await attack(), listTasks, headers);
    stream.end(bytes).resume();
    await until(() => code() !== undefined, { what: 'it is refused' });
    expect(code()).toBe(status.INVALID_ARGUMENT);
  });

  it('cannot watch the health of an unknown service', async () => {
    const { stream, status: code } = call(await attack(), watch);
    stream.end(whole(Buffer.from([0x0a, 1, ...Buffer.from('x')]))).resume();
    await until(() => code() !== undefined, { what: 'it is refused' });
    expect(code()).toBe(status.NOT_FOUND);
  });

  it('causes an event even if the call ends before its method begins', async () => {
    const events: GatewayEvent[] = [];
    const emit = (event: GatewayEvent): void => void events.push(event);
    const gate = new Gate({
      authentication: new Authentication([]),
      origins: new Origins(defaultGatewaySettings, true),
      resources: createLimitedResources(defaultGatewaySettings.resources, {}),
      rates: new Rates(defaultGatewaySettings.rates, () => undefined),
      emit,
    });
    const context = {
      gate,
      emit,
      settings: defaultGatewaySettings,
      files: undefined,
      heldRequests: new HeldRequests(),
    };
    const listener = new GrpcListener({ a2a: {}, legacy: undefined }, context);
    await listener.open('127.0.0.1', { port: 0 });
    const session = connect(`http://127.0.0.1:${listener.port}`);
    const [leaves, overflows] = [call(session, listTasks), call(session, listTasks)];
    leaves.stream.write(prefix(10), () => leaves.stream.close(constants.NGHTTP2_CANCEL));
    overflows.stream.resume().write(prefix(1_000_000_000));
    await until(() => events.length === 2, { what: 'both are reported' });
    const reported = { kind: 'answered', status: status.CANCELLED, path: listTasks };
    expect(events).toEqual([expect.objectContaining(reported), expect.objectContaining(reported)]);
    session.destroy();
    await listener.close(0);
  });

  it('gets a short error for a long name, and keeps its connection', async () => {
    const client = new Client(await grpcAddressOf(stage.url), credentials.createInsecure());
    const { path, requestSerialize } = LegacyA2AService.getTask;
    const errorFor = (name: string) =>
      new Promise((resolve) => {
        const sent = { name, historyLength: 0 };
        client.makeUnaryRequest(
          path,
          requestSerialize,
          (bytes) => bytes,
          sent,
          (error) => resolve(error),
        );
      });
    for (const name of ['x'.repeat(80_000), `tasks/${'x'.repeat(80_000)}`])
      expect(await errorFor(name)).toMatchObject({ code: status.INVALID_ARGUMENT });
    expect(await errorFor('tasks/none')).toMatchObject({ code: status.NOT_FOUND });
    client.close();
  });

  it('has a limited number of streams per connection', async () => {
    const session = await attack(limits({ streams: 3 }));
    await until(() => session.remoteSettings?.maxConcurrentStreams === 3, { what: 'the HTTP/2 settings have arrived' });
  });

  it('is told to leave an old connection (GOAWAY), and its calls are cut later', async () => {
    const session = await attack(limits({ ageMs: 300, ageGraceMs: 300 }));
    let hasGoaway = false;
    session.on('goaway', () => {
      hasGoaway = true;
    });
    const { stream } = call(session, watch);
    stream.end(prefix(0)).resume();
    await until(() => hasGoaway, { what: 'GOAWAY is received' });
    expect(stream.closed).toBe(false);
    await until(() => session.destroyed && stream.closed, { what: 'its calls are cut' });
  });

  it('loses a connection without calls', async () => {
    const session = await attack(limits({ idleMs: 200 }));
    await until(() => session.destroyed, { what: 'it is closed' });
  });
});

/** A task with this many chunks of 40 KB, and a request that subscribes to it. */
async function taskWithChunks(chunks: number): Promise<{ readonly turn: OpenTurn; readonly request: Buffer }> {
  const { id } = await submit(stage.url, userMessage('hello'));
  const turn = await stage.beginTurn(id);
  await turn.publish(chunk('', { append: false }));
  for (let n = 0; n < chunks; n++) await turn.publish(chunk('x'.repeat(40_000)));
  const { requestSerialize } = definitionOf('SubscribeToTask');
  return { turn, request: whole(requestSerialize(messagesOf('SubscribeToTask').request.fromJSON({ id }))) };
}

/** A connection that reads 500 KB per second. */
function slowly({ hostname, port }: URL): Duplex {
  const socket = connectTcp(Number(port), hostname);
  const slow = new Transform({
    transform: (bytes: Buffer, _, done) => void setTimeout(done, bytes.length / 500, null, bytes),
  });
  return Duplex.from({ writable: socket, readable: socket.pipe(slow) });
}

// Each has its own gateway, and waits for seconds.
describe.concurrent('A client that answers pings but reads no data', () => {
  it('loses its stream, but the other streams of the connection go on', async () => {
    const session = await attack({ clientStallMs: 400 });
    const { turn, request } = await taskWithChunks(4);
    const [stalled, reader] = [call(session, subscribeToTask), call(session, subscribeToTask)];
    stalled.stream.pause().end(request);
    let read = 0;
    reader.stream.on('data', ({ length }: Buffer) => {
      read += length;
    });
    reader.stream.end(request);
    await until(() => stalled.stream.closed, { what: 'the stream is ended' });
    // The status RESOURCE_EXHAUSTED, for every gRPC client.
    expect(stalled.stream.rstCode).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    const before = read;
    await turn.publish(chunk('x'));
    await until(() => read > before, { what: 'the other reader goes on' });
  });

  it('is not confused with one that reads many streams slowly', async () => {
    const { request } = await taskWithChunks(1);
    const session = await attack({ clientStallMs: 200 }, { createConnection: slowly });
    let read = 0;
    const attempts = Array.from({ length: 40 }, () => call(session, subscribeToTask));
    for (const { stream } of attempts) {
      stream.on('data', ({ length }: Buffer) => {
        read += length;
      });
      stream.end(request);
    }
    await until(() => read > 40 * 40_000, { what: 'all events are read' });
    expect(attempts.filter(({ stream }) => stream.closed)).toEqual([]);
  });

  it('gets no new streams once too much data waits for it', async () => {
    const session = await attack(limits({ bytes: 1_000_000 }));
    const { request } = await taskWithChunks(10);
    const stalled = Array.from({ length: 4 }, () => call(session, subscribeToTask));
    for (const { stream } of stalled) stream.pause().end(request);
    const isRefused = async (): Promise<boolean> => {
      if (session.destroyed) return true;
      const { stream } = call(session, subscribeToTask);
      stream.pause().end(request);
      await Promise.race([once(stream, 'response'), once(stream, 'close')]);
      return stream.closed;
    };
    await until(isRefused, { what: 'its next stream is refused' });
  });
});

describe('A client that sends its message byte by byte', () => {
  it('loses its stream: each frame takes much more memory than its byte', async () => {
    const session = await attack();
    const { stream } = call(session, sendMessage);
    stream.write(prefix(100_000));
    let sent = 0;
    const write = (): void => {
      if (!stream.closed && sent++ < 50_000) stream.write('x', () => setImmediate(write));
    };
    write();
    await until(() => stream.closed, { what: 'the stream is closed' });
    expect(stream.rstCode).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    expect(sent).toBeLessThan(50_000);
  });

  it('keeps it if its frames are few, or large', async () => {
    const session = await attack();
    const large = Buffer.alloc(1_000_000);
    const { stream, status: found } = call(session, sendMessage);
    stream.write(prefix(large.length + 500));
    for (let i = 0; i < 500; i++) await new Promise((resolve) => stream.write('x', resolve));
    stream.end(large).resume();
    await until(() => found() !== undefined, { what: 'the call is answered' });
    // It is no message of this method.
    expect(found()).toBe(status.INVALID_ARGUMENT);
  });
});
