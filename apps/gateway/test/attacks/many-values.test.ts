import { randomUUID } from 'node:crypto';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasMoreValues } from '../../src/exchange/read-json.ts';
import { call, type ErrorBody, post } from '../support/client.ts';
import { grpcAddressOf } from '../support/grpc-address.ts';
import { openStage, type Stage } from '../support/stage.ts';

// Values are read all at once: millions of small ones would block the gateway for seconds.

const most = 1_000;

let stage: Stage;
let client: Client;

beforeAll(async () => {
  const settings = { maxBodyValues: most, mcp: true, grpc: { port: 0, publicAddress: 'auto' } } as const;
  stage = await openStage({ gateway: settings });
  client = new Client(await grpcAddressOf(stage.url), credentials.createInsecure());
});

afterAll(async () => {
  client.close();
  await stage[Symbol.asyncDispose]();
});

const keys = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));
const list = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);
const message = (given: object): object => ({
  messageId: randomUUID(),
  role: 'ROLE_USER',
  parts: [{ text: 'a' }],
  ...given,
});

const forms: readonly (readonly [what: string, given: (count: number) => object])[] = [
  ['parts', (count) => ({ parts: list(count, {}) })],
  ['members of metadata', (count) => ({ metadata: keys(count) })],
  ['nested lists', (count) => ({ parts: [{ data: list(count, []) }] })],
  ['nested objects', (count) => ({ metadata: { a: list(count, { b: 1 }) } })],
  ['ids', (count) => ({ referenceTaskIds: list(count, 'x') })],
];

describe.each(forms)('Too many %s', (_, given) => {
  it('are refused over JSON-RPC, HTTP+JSON, both in 0.3, and MCP', async () => {
    const params = { message: message(given(most)) };
    const legacy = { message: { ...params.message, kind: 'message', role: 'user' } };
    const rpc = [
      await call<ErrorBody>(stage.url, 'SendMessage', params),
      await call(stage.url, 'message/send', legacy),
    ];
    const rest = [
      await post<ErrorBody>(`${stage.url}/message:send`, params),
      await post(`${stage.url}/v1/message:send`, { request: legacy.message }),
      await post(`${stage.url}/mcp`, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    ];
    expect([...rpc, ...rest].map((answer) => answer.status)).toEqual([413, 413, 413, 413, 413]);
    expect(rpc[0]?.body).toMatchObject({ error: { message: `The request has more than ${most} values` } });
  });
});

describe('A request with as many values as are allowed', () => {
  it('is accepted', async () => {
    const params = { message: message({ metadata: keys(most - 20) }), configuration: { returnImmediately: true } };
    expect((await post(`${stage.url}/message:send`, params)).status).toBe(200);
  });
});

/** A field that is length-delimited. */
function field(number: number, content: Uint8Array): Buffer {
  const length = content.length < 128 ? [content.length] : [(content.length & 127) | 128, content.length >> 7];
  return Buffer.concat([Buffer.of((number << 3) | 2, ...length), content]);
}

interface Method {
  readonly path: string;
}

function send({ path }: Method, bytes: Buffer): Promise<ServiceError | undefined> {
  const same = (value: Buffer): Buffer => value;
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, same, same, bytes, new Metadata(), (error) => resolve(error ?? undefined));
  });
}

describe('Over gRPC', () => {
  const parts = Buffer.concat(list(10_000, field(5, Buffer.of())));
  const big = Buffer.concat([
    Buffer.of(0x12, (parts.length & 127) | 128, ((parts.length >> 7) & 127) | 128, parts.length >> 14),
    parts,
  ]);

  it('too many values are refused, in 1.0 and 0.3', async () => {
    for (const method of [A2AService.sendMessage, LegacyA2AService.sendMessage]) {
      const error = await send(
        method,
        method === A2AService.sendMessage ? big : Buffer.concat([Buffer.of(0x0a), big.subarray(1)]),
      );
      expect([error?.code, error?.details]).toEqual([
        status.RESOURCE_EXHAUSTED,
        expect.stringContaining(`more than ${most} values`),
      ]);
    }
  });

  it('an unknown parameter of a list is refused', async () => {
    const context = field(2, Buffer.from('some-context'));
    expect(await send(A2AService.listTasks, context)).toBeUndefined();
    const error = await send(
      A2AService.listTasks,
      Buffer.concat([context, field(77, Buffer.from('x'))].map((each) => each)),
    );
    expect([error?.code, error?.details]).toEqual([status.INVALID_ARGUMENT, expect.stringContaining('field')]);
  });
});

describe('hasMoreValues', () => {
  /** Empty lists and objects count twice. */
  const countOf = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? 1 + (Object.values(value).reduce((sum: number, each) => sum + countOf(each), 0) || 1)
      : 1;

  it('counts the values of any JSON, whatever its strings contain', () => {
    const text = fc.string({ unit: fc.constantFrom('"', '\\', ',', '[', '{', 'a', '\u{1f600}') });
    fc.assert(
      fc.property(
        fc.letrec((tie) => ({
          any: fc.oneof({ maxDepth: 4 }, text, fc.integer(), tie('list'), tie('object')),
          list: fc.array(tie('any'), { maxLength: 6 }),
          object: fc.dictionary(text, tie('any'), { maxKeys: 6 }),
        })).any,
        fc.constantFrom(undefined, 2),
        (value, indent) => {
          const json = JSON.stringify([value], undefined, indent) + ' '.repeat(1_000);
          const count = countOf(JSON.parse(json));
          expect([hasMoreValues(json, count - 1), hasMoreValues(json, count)]).toEqual([true, false]);
        },
      ),
    );
  });

  it('ends for a text that is no JSON', () => {
    for (const text of ['"', '"\\', '"'.repeat(999), '\\'.repeat(999), '"\\"'.repeat(99)])
      expect(hasMoreValues(text.padEnd(2_000, 'x'), 1)).toBe(false);
  });
});
