import { connect as connectHttp2 } from 'node:http2';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { until } from '../../../../tests/support/until.ts';
import { openRaw, type RawConnection } from '../support/attack.ts';
import type { Binding } from '../support/bindings/outcome.ts';
import { type GrpcBinding, overGrpc } from '../support/bindings/over-grpc.ts';
import { overJsonRpc, overRest } from '../support/bindings/over-http.ts';
import { get, post, type Sent, userMessage } from '../support/client.ts';
import { grpcAddressOf } from '../support/grpc-address.ts';
import { openStage, type Stage } from '../support/stage.ts';

// Alice and Anna share a tenant, Bob and Carol have their own. Limits: 5 for a principal, 8 for a tenant.

const keyOf = (name: string): string => `key-of-${name}-0123456789`;
const as = (name: string) => ({ 'x-api-key': keyOf(name) });
const keys = ['alice', 'anna', 'bob', 'carol'].map((subject) => ({
  key: keyOf(subject),
  subject,
  tenant: subject.slice(0, 1),
  scopes: [],
}));
const share = { total: 40, perTenant: 8, perPrincipal: 5 };
const BODY = 400_000;

let stage: Stage;
let bindings: readonly Binding[];
let grpc: GrpcBinding;
/** The task of each principal. */
const tasks = new Map<string, string>();

beforeAll(async () => {
  stage = await openStage({
    gateway: {
      auth: { keys },
      grpc: { port: 0, publicAddress: 'auto' },
      maxBodyBytes: BODY,
      resources: {
        streams: share,
        held: { ...share, perPrincipal: 6, perTenant: 20 },
        bytes: { total: 4e6, perPrincipal: 1e6 },
      },
    },
  });
  grpc = overGrpc(await grpcAddressOf(stage.url));
  bindings = [overJsonRpc(stage.url), overRest(stage.url), grpc];
  for (const { subject } of keys) tasks.set(subject, await submitAs(subject));
});

afterAll(async () => {
  grpc[Symbol.dispose]();
  await stage[Symbol.asyncDispose]();
});

async function submitAs(name: string): Promise<string> {
  const request = { message: userMessage('hello'), configuration: { returnImmediately: true } };
  const { body } = await post<Sent>(`${stage.url}/message:send`, request, as(name));
  return body.task.id;
}

function raw(name: string, lines: string): RawConnection {
  const connection = openRaw(stage.url, `${lines}\r\nHost: x\r\nX-API-Key: ${keyOf(name)}\r\n\r\n`);
  onTestFinished(() => void connection.socket.destroy());
  return connection;
}

const openStream = (name: string): RawConnection => raw(name, `GET /tasks/${tasks.get(name)}:subscribe HTTP/1.1`);
const openWait = (name: string): RawConnection =>
  raw(name, `GET /tasks/${tasks.get(name)} HTTP/1.1\r\nPrefer: wait=30`);

/** For each binding, the reason of its refusal, if it is refused. */
async function reasonsOf(name: string, operation: string): Promise<(string | undefined)[]> {
  const params =
    operation === 'SendMessage' ? { message: userMessage('hello') } : { id: tasks.get(name), tenant: undefined };
  const outcomes = await Promise.all(
    bindings.map((binding) => binding.invoke({ operation, params, headers: as(name), mostEvents: 1 })),
  );
  return outcomes.map((outcome) => ('error' in outcome ? outcome.error.reason : undefined));
}

const everywhere = (reason: string | undefined): (string | undefined)[] => [reason, reason, reason];

it('streams: a principal and its tenant have a share each, and closed streams do not count', async () => {
  const streams = Array.from({ length: 5 }, () => openStream('alice'));
  await until(() => streams.every((each) => each.received().includes('data:')), { what: 'all streams are open' });
  expect(await reasonsOf('alice', 'SubscribeToTask')).toEqual(everywhere('RATE_LIMITED'));
  expect(await reasonsOf('bob', 'SubscribeToTask')).toEqual(everywhere(undefined));

  const annas = Array.from({ length: 3 }, () => openStream('anna'));
  await until(() => annas.every((each) => each.received().includes('data:')), { what: 'the tenant has eight streams' });
  expect(await reasonsOf('anna', 'SubscribeToTask')).toEqual(everywhere('RATE_LIMITED'));

  for (const each of [...streams, ...annas]) each.socket.destroy();
  await until(async () => (await reasonsOf('alice', 'SubscribeToTask')).every((reason) => reason === undefined), {
    what: 'there is room again',
  });
});

it('streams: a JSON-RPC notification counts towards the share, and is free again at once', async () => {
  const countOf = async () => (await get<{ totalSize: number }>(`${stage.url}/tasks`, as('carol'))).body.totalSize;
  const notify = async () => {
    const params = { message: userMessage('hello') };
    return (await post(stage.url, { jsonrpc: '2.0', method: 'SendStreamingMessage', params }, as('carol'))).status;
  };
  const before = await countOf();
  const streams = Array.from({ length: 5 }, () => openStream('carol'));
  await until(() => streams.every((each) => each.received().includes('data:')), { what: 'all streams are open' });
  expect(await notify()).toBe(204);
  expect(await countOf()).toBe(before);

  for (const each of streams) each.socket.destroy();
  const isAccepted = async () => (await notify()) === 204 && (await countOf()) > before;
  await until(isAccepted, { what: 'there is room again' });
  const since = await countOf();
  for (let i = 0; i < 6; i++) expect(await notify()).toBe(204);
  expect(await countOf()).toBe(since + 6);
});

it('waits: blocking calls beyond the share of a principal are refused, not accepted, and cancel works', async () => {
  const waits = Array.from({ length: 7 }, () => openWait('alice'));
  await until(() => waits.some((each) => each.received().startsWith('HTTP/1.1 429')), { what: 'one is refused' });
  expect(await reasonsOf('alice', 'SubscribeToTask')).toEqual(everywhere('RATE_LIMITED'));
  const before = await get<{ totalSize: number }>(`${stage.url}/tasks`, as('alice'));
  expect(await reasonsOf('alice', 'SendMessage')).toEqual(everywhere('RATE_LIMITED'));
  const refused = await post(`${stage.url}/message:send`, { message: userMessage('hello') }, as('alice'));
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  const after = await get<{ totalSize: number }>(`${stage.url}/tasks`, as('alice'));
  expect(after.body.totalSize).toBe(before.body.totalSize);
  expect(await reasonsOf('bob', 'SubscribeToTask')).toEqual(everywhere(undefined));

  const running = await submitAs('alice');
  await stage.beginTurn(running);
  const canceled = await post(`${stage.url}/tasks/${running}:cancel`, {}, as('alice'));
  expect(canceled.status).toBe(200);

  for (const each of waits) each.socket.destroy();
  await until(async () => (await reasonsOf('alice', 'SubscribeToTask')).every((reason) => reason === undefined), {
    what: 'there is room again',
  });
});

it('bodies: a principal has a share of the bytes of unanswered requests', async () => {
  const half = 'x'.repeat(BODY / 2);
  const send = (name: string): RawConnection => {
    const head = `POST /message:send HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${BODY}`;
    const connection = raw(name, head);
    connection.socket.write(half);
    return connection;
  };
  const bodies = Array.from({ length: 6 }, () => send('alice'));
  await until(() => bodies.some((each) => each.received().startsWith('HTTP/1.1 429')), { what: 'one is refused' });
  expect(bodies.filter((each) => each.received() !== '')).toHaveLength(1);
  expect(
    (
      await post(
        `${stage.url}/message:send`,
        { message: userMessage(half), configuration: { returnImmediately: true } },
        as('bob'),
      )
    ).status,
  ).toBe(200);
  for (const each of bodies) each.socket.destroy();
  await until(
    async () => {
      const request = { message: userMessage(half), configuration: { returnImmediately: true } };
      return (await post(`${stage.url}/message:send`, request, as('alice'))).status === 200;
    },
    { what: 'there is room again' },
  );
});

it('gRPC messages that have not arrived count at their maximum size', async () => {
  const session = connectHttp2(`http://${await grpcAddressOf(stage.url)}`);
  onTestFinished(() => session.destroy());
  const codes: number[] = [];
  for (let i = 0; i < 3; i++) {
    const path = '/lf.a2a.v1.A2AService/SendMessage';
    const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
    const stream = session.request({ ...headers, ...as('alice') }, { endStream: false });
    const note = (found: object): void => {
      if ('grpc-status' in found) codes.push(Number(found['grpc-status']));
    };
    stream
      .on('response', note)
      .on('trailers', note)
      .on('error', () => undefined)
      .resume();
    stream.write(Buffer.from([0, 0, 0, 100, 0]));
  }
  await until(() => codes.length > 0, { what: 'one is refused' });
  expect(codes).toEqual([status.RESOURCE_EXHAUSTED]);
});
