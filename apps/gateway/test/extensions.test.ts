import { readdirSync, readFileSync } from 'node:fs';
import { GetTaskRequest } from '@a2a-js/sdk';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Client, credentials, Metadata, type MethodDefinition } from '@grpc/grpc-js';
import {
  cascadingCancelUri,
  conversationsUri,
  filesUri,
  inputUri,
  skillUri,
  steeringUri,
  traceContextUri,
} from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayExtensions } from '../src/call/extensions.ts';
import { needed, offered } from './support/agents.ts';
import { call, type ErrorBody, get, openStream, post, type Sent, userMessage } from './support/client.ts';
import { grpcAddressOf } from './support/grpc-address.ts';
import { openStage, type Stage } from './support/stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({ gateway: { grpc: { port: 0, publicAddress: 'auto' } } });
});

afterAll(() => stage[Symbol.asyncDispose]());

const unknown = 'https://example.com/extensions/unknown/v1';
const request = () => ({ message: userMessage('hello'), configuration: { returnImmediately: true } });
const asking = (...uris: string[]) => ({ 'a2a-extensions': uris.join(', ') });

describe('Requested extensions', () => {
  it('are echoed once each over REST and JSON-RPC, if the agent supports them', async () => {
    const headers = asking(offered, unknown, offered, needed);
    const rest = await post(`${stage.url}/agents/guest/message:send`, request(), headers);
    const rpc = await call(`${stage.url}/agents/guest`, 'SendMessage', request(), headers);
    for (const answer of [rest, rpc]) expect(answer.headers.get('a2a-extensions')).toBe(`${offered},${needed}`);
  });

  it('are echoed in the headers of a stream', async () => {
    const stream = await openStream(`${stage.url}/agents/guest/message:stream`, {
      method: 'POST',
      body: JSON.stringify(request()),
      headers: { 'content-type': 'application/json', ...asking(offered, unknown) },
    });
    expect(stream.response.headers.get('a2a-extensions')).toBe(offered);
    stream.cut();
  });

  it('are not echoed if none is active', async () => {
    expect((await get(`${stage.url}/agents/guest/tasks`, asking(unknown))).headers.has('a2a-extensions')).toBe(false);
    expect((await get(`${stage.url}/tasks`, asking(offered))).headers.has('a2a-extensions')).toBe(false);
  });

  it('are known to the turn if they are active', async () => {
    const { body } = await post<Sent>(`${stage.url}/agents/guest/message:send`, request(), asking(unknown, offered));
    const turn = await stage.beginTurn(body.task.id);
    expect(turn.start.extensions).toEqual([offered]);
  });
});

describe('Extensions requested over gRPC', () => {
  /** The metadata before the answer. */
  function headOf(
    address: string,
    { path, requestSerialize }: Definition,
    sentRequest: GrpcRequest,
  ): Promise<Metadata> {
    const client = new Client(address, credentials.createInsecure());
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(sentRequest.headers)) metadata.set(name, value);
    return new Promise<Metadata>((resolve, reject) => {
      const sent = client.makeUnaryRequest(
        path,
        requestSerialize,
        (bytes) => bytes,
        sentRequest.request,
        metadata,
        (error) => error && reject(error),
      );
      sent.on('metadata', resolve);
    }).finally(() => client.close());
  }

  it.each([
    ['1.0', A2AService.getTask, 'a2a-extensions', (id: string) => GetTaskRequest.fromJSON({ id })],
    ['0.3', LegacyA2AService.getTask, 'x-a2a-extensions', (id: string) => ({ name: `tasks/${id}`, historyLength: 0 })],
  ])('are echoed in the metadata of version %s', async (_version, method, name, toRequest) => {
    const { body } = await post<Sent>(`${stage.url}/agents/guest/message:send`, request());
    const headers = { [name]: `${unknown},${offered}`, 'a2a-agent': 'guest' };
    const sentRequest = { request: toRequest(body.task.id), headers };
    const head = await headOf(await grpcAddressOf(stage.url), method as unknown as Definition, sentRequest);
    expect(head.get('a2a-extensions')).toEqual([offered]);
  });
});

interface GrpcRequest {
  readonly request: object;
  readonly headers: Readonly<Record<string, string>>;
}

type Definition = MethodDefinition<unknown, unknown>;

describe('An extension that the agent requires', () => {
  it('must be requested with every message', async () => {
    const rest = await post<ErrorBody>(`${stage.url}/agents/strict/message:send`, request(), asking(offered));
    expect([rest.status, rest.body.error.details?.[0]?.reason]).toEqual([400, 'EXTENSION_SUPPORT_REQUIRED']);
    expect(rest.body.error.details?.[1]?.fieldViolations).toEqual([
      { field: 'A2A-Extensions', description: `must name ${needed}` },
    ]);
    const rpc = await call<ErrorBody>(`${stage.url}/agents/strict`, 'SendStreamingMessage', request());
    expect(rpc.body.error.code).toBe(-32008);
  });

  it('accepts a message that requests it', async () => {
    const { status, body } = await post<Sent>(`${stage.url}/agents/strict/message:send`, request(), asking(needed));
    expect(status).toBe(200);
    expect(body.task.status.state).toBe('TASK_STATE_SUBMITTED');
  });

  it('is not needed to read tasks', async () => {
    expect((await get(`${stage.url}/agents/strict/tasks`)).status).toBe(200);
  });
});

describe("The gateway's own extensions", () => {
  const uris = gatewayExtensions.map(({ uri }) => uri);
  const pages = new URL('../../../docs/extensions/', import.meta.url);

  it('have a page each with their URI, and are in the table of pages', () => {
    const names = readdirSync(pages).filter((name) => name !== 'README.md');
    const table = readFileSync(new URL('README.md', pages), 'utf8');
    expect(names.map((name) => `https://switchyard.dev/a2a/extensions/${name.replace(/\.md$/, '')}/v1`).sort()).toEqual(
      [...uris, conversationsUri].sort(),
    );
    for (const name of names) {
      const uri = `https://switchyard.dev/a2a/extensions/${name.replace(/\.md$/, '')}/v1`;
      expect(readFileSync(new URL(name, pages), 'utf8')).toContain(`URI: \`${uri}\``);
      expect(table).toContain(`](${name})`);
    }
  });

  it("are in the card of every agent, after the agent's own", async () => {
    const { body } = await get<{ capabilities: { extensions: { uri: string; description?: string }[] } }>(
      `${stage.url}/agents/guest/.well-known/agent-card.json`,
    );
    const listed = body.capabilities.extensions;
    expect(listed.map(({ uri }) => uri)).toEqual([
      offered,
      needed,
      ...uris.filter((uri) => ![filesUri, inputUri, skillUri, steeringUri].includes(uri)),
    ]);
    expect(listed.every(({ uri, description }) => !uris.includes(uri) || description)).toBe(true);
  });

  it('are echoed when they are requested, over 1.0 and 0.3', async () => {
    const headers = asking(traceContextUri, unknown, cascadingCancelUri);
    const rest = await post(`${stage.url}/message:send`, request(), headers);
    expect(rest.headers.get('a2a-extensions')).toBe(`${traceContextUri},${cascadingCancelUri}`);
    const message = { ...userMessage('x'), kind: 'message', role: 'user', parts: [{ kind: 'text', text: 'x' }] };
    const legacy = { message, configuration: { blocking: false } };
    const answer = await call(stage.url, 'message/send', legacy, { 'x-a2a-extensions': traceContextUri });
    expect(answer.headers.get('x-a2a-extensions')).toBe(traceContextUri);
  });
});
