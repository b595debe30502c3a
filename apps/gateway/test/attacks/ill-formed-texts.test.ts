import { SendMessageRequest, type SendMessageResponse } from '@a2a-js/sdk';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { illFormedText } from '../../src/exchange/read-json.ts';
import { call, type ErrorBody, post, userMessage } from '../support/client.ts';
import { grpcAddressOf } from '../support/grpc-address.ts';
import { openStage, type Stage } from '../support/stage.ts';

// Half of a surrogate pair can be escaped in JSON, but not be written as UTF-8: strict readers, and all of gRPC, refuse
// whatever answer repeats it, also a page of tasks of which one has it.

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({ gateway: { mcp: true, grpc: { port: 0, publicAddress: 'auto' } } });
});

afterAll(() => stage[Symbol.asyncDispose]());

const half = 'a\ud800b';
const why = 'must be valid Unicode: it has half of a surrogate pair';

describe('Half of a surrogate pair', () => {
  const configuration = { returnImmediately: true };

  it.each([
    ['message.parts[0].text', { message: userMessage(half) }],
    ['message.metadata.a[1].b', { message: userMessage('x', { metadata: { a: [0, { b: '\udc00' }] } }) }],
    ['message.metadata["\\ud800"]', { message: userMessage('x', { metadata: { '\ud800': 1 } }) }],
    ['message.parts[0].data', { message: userMessage('', { parts: [{ data: half }] }) }],
    ['metadata.unknown', { message: userMessage('x'), metadata: { unknown: '\ude00\ud83d' } }],
  ])('is refused in %s, which the error names', async (field, params) => {
    const rest = await post<ErrorBody>(`${stage.url}/message:send`, { ...params, configuration });
    expect(rest.status).toBe(400);
    expect(rest.body.error.message).toBe(`Invalid parameters: ${field} ${why}`);
    const rpc = await call<ErrorBody & { id: unknown }>(stage.url, 'SendMessage', { ...params, configuration });
    expect(rpc.body).toMatchObject({ id: 1, error: { code: -32602, message: `Invalid parameters: ${field} ${why}` } });
  });

  it('is refused in 0.3, in MCP, and in the id of a JSON-RPC request, which is not repeated', async () => {
    const message = { ...userMessage(half), kind: 'message', role: 'user', parts: [{ kind: 'text', text: half }] };
    const legacy = await call<ErrorBody>(stage.url, 'message/send', { message });
    expect(legacy.body.error.message).toContain(`message.parts[0].text ${why}`);
    const legacyRest = await post(`${stage.url}/v1/message:send`, { request: message });
    expect(legacyRest.status).toBe(400);
    const tool = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: half } };
    expect((await post<ErrorBody>(`${stage.url}/mcp`, tool)).body.error.message).toContain(`params.name ${why}`);
    const named = await post<ErrorBody & { id: unknown }>(stage.url, {
      jsonrpc: '2.0',
      id: half,
      method: 'ListTasks',
    });
    expect(named.body).toMatchObject({ id: null, error: { code: -32600 } });
  });

  it('is replaced over gRPC, where it is not UTF-8', async () => {
    const client = new Client(await grpcAddressOf(stage.url), credentials.createInsecure());
    try {
      const { path, requestSerialize, responseDeserialize } = A2AService.sendMessage;
      const request = SendMessageRequest.fromJSON({ message: userMessage('a???b'), configuration });
      const bytes = Buffer.from(requestSerialize(request).toString('latin1').replace('???', '\xed\xa0\x80'), 'latin1');
      const answer = await new Promise<SendMessageResponse | undefined>((resolve, reject) => {
        const done = (refused: ServiceError | null, given?: SendMessageResponse): void =>
          refused ? reject(refused) : resolve(given);
        client.makeUnaryRequest(path, (sent: Buffer) => sent, responseDeserialize, bytes, done);
      });
      expect(JSON.stringify(answer)).toContain('a\ufffd\ufffd\ufffdb');
    } finally {
      client.close();
    }
  });
});

describe('A whole surrogate pair', () => {
  it('is accepted, escaped or not', async () => {
    for (const text of ['😀', '\\ud83d\\uDE00', '\\\\ud83d']) {
      const json = JSON.stringify({ message: userMessage('TEXT'), configuration: { returnImmediately: true } });
      const answer = await post(`${stage.url}/message:send`, json.replace('TEXT', text));
      expect([text, answer.status]).toEqual([text, 200]);
    }
  });

  it('costs no search if it is not escaped', () => {
    const unreadable = new Proxy([], { ownKeys: () => expect.unreachable('it is searched') });
    expect(illFormedText(unreadable, JSON.stringify('😀'))).toEqual([]);
  });
});
