import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ClientReadableStream, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasProgram } from '../../../tests/support/has-program.ts';
import { patience, until } from '../../../tests/support/until.ts';
import { messagesOf } from './support/bindings/messages.ts';
import type { OutcomeError } from './support/bindings/outcome.ts';
import { definitionOf, type GrpcBinding, overGrpc } from './support/bindings/over-grpc.ts';
import { get, submit, userMessage } from './support/client.ts';
import { asked, chunk, completed, working } from './support/events.ts';
import { grpcAddressOf } from './support/grpc-address.ts';
import { openStage, type Stage } from './support/stage.ts';

const key = 'key-of-alice-0123456789';
const auth = { keys: [{ key, subject: 'alice', tenant: 'default', scopes: [] }] } as const;
const hasOpenssl = hasProgram('openssl', 'version');

let stage: Stage;
let address: string;
let grpc: GrpcBinding;

beforeAll(async () => {
  stage = await openStage({ gateway: { grpc: { port: 0, publicAddress: 'auto' }, maxBodyBytes: 10_000 } });
  address = await grpcAddressOf(stage.url);
  grpc = overGrpc(address);
});

afterAll(async () => {
  grpc[Symbol.dispose]();
  await stage[Symbol.asyncDispose]();
});

function subscribe(client: Client, id: string): ClientReadableStream<unknown> {
  const { path, requestSerialize, responseDeserialize } = definitionOf('SubscribeToTask');
  const request = messagesOf('SubscribeToTask').request.fromJSON({ id });
  return client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request);
}

/** SERVING 1, NOT_SERVING 2 (grpc.health.v1.HealthCheckResponse). */
function health(client: Client, service = ''): Promise<number | undefined> {
  const request = service === '' ? Buffer.of() : Buffer.from(`\n${String.fromCharCode(service.length)}${service}`);
  const asIs = (bytes: Buffer): Buffer => bytes;
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest('/grpc.health.v1.Health/Check', asIs, asIs, request, (error, answer) =>
      error ? reject(error) : resolve(answer?.[1]),
    );
  });
}

const asError = (outcome: object): OutcomeError => (outcome as { error: OutcomeError }).error;

describe('The gRPC binding', () => {
  it('is in the card of every agent, which its tenant names', async () => {
    const { body } = await get<{ supportedInterfaces: object[] }>(
      `${stage.url}/agents/oracle/.well-known/agent-card.json`,
    );
    expect(body.supportedInterfaces).toContainEqual({
      url: address,
      protocolBinding: 'GRPC',
      protocolVersion: '1.0',
      tenant: 'oracle',
    });
  });

  it('reports its health, as a whole and for each service', async () => {
    expect(await health(grpc.client)).toBe(1);
    expect(await health(grpc.client, 'lf.a2a.v1.A2AService')).toBe(1);
    await expect(health(grpc.client, 'unknown')).rejects.toMatchObject({ code: status.NOT_FOUND });
  });

  it('treats a page size of 0 as unset', async () => {
    const contextId = randomUUID();
    await submit(stage.url, userMessage('hello', { contextId }));
    const params = { contextId, pageSize: 0 };
    expect(await grpc.invoke({ operation: 'ListTasks', params })).toMatchObject({ result: { totalSize: 1 } });
  });

  it('refuses a message that is too large', async () => {
    const params = { message: userMessage('x'.repeat(10_001)) };
    expect(asError(await grpc.invoke({ operation: 'SendMessage', params })).message).toMatch(/larger than max/);
  });

  it('says where files of a message that is too large can go, if this deployment stores any', async () => {
    const params = { message: userMessage('x'.repeat(10_001)) };
    const without = asError(await grpc.invoke({ operation: 'SendMessage', params }));
    expect(without.message).not.toContain('/files');
    const folder = mkdtempSync(join(tmpdir(), 'grpc-files-'));
    const files = { url: `file://${folder}`, maxFileBytes: 1_000, maxBytesPerPrincipal: 1_000 };
    const url = await stage.another({ grpc: { port: 0, publicAddress: 'auto' }, maxBodyBytes: 10_000, files });
    using other = overGrpc(await grpcAddressOf(url));
    const refused = asError(await other.invoke({ operation: 'SendMessage', params }));
    expect(refused.message).toMatch(/larger than max.*: send its files to POST \/files of the HTTP endpoint/);
  });

  it('refuses a message that is nested too deeply', async () => {
    const deep = JSON.parse(`${'['.repeat(200)}1${']'.repeat(200)}`);
    const params = { message: { ...userMessage('deep'), metadata: { deep } } };
    expect(asError(await grpc.invoke({ operation: 'SendMessage', params }))).toMatchObject({
      reason: 'INVALID_REQUEST',
      violations: ['request'],
    });
  });

  it('accepts an API key in either header', async () => {
    const url = await stage.another({ grpc: { port: 0, publicAddress: 'auto' }, auth });
    using closed = overGrpc(await grpcAddressOf(url));
    const list = { operation: 'ListTasks', params: {} };
    expect(asError(await closed.invoke(list)).reason).toBe('UNAUTHENTICATED');
    for (const headers of [{ 'x-api-key': key }, { authorization: `Bearer ${key}` }]) {
      expect(await closed.invoke({ ...list, headers })).toHaveProperty('result');
    }
  });

  it.each(['1.0', '1.0.7'])('accepts version %s, by its first two numbers', async (version) => {
    const headers = { 'a2a-version': version };
    expect(await grpc.invoke({ operation: 'ListTasks', params: {}, headers })).toHaveProperty('result');
  });

  it.each(['0.3', '2.0', 'one'])('refuses version %s', async (version) => {
    const headers = { 'a2a-version': version };
    const error = asError(await grpc.invoke({ operation: 'ListTasks', params: {}, headers }));
    expect(error).toMatchObject({ reason: 'VERSION_NOT_SUPPORTED', violations: ['A2A-Version'] });
  });

  it('finds the agent by metadata if the request has no tenant', async () => {
    const headers = { 'a2a-agent': 'strict' };
    const params = { message: userMessage('hello') };
    const error = asError(await grpc.invoke({ operation: 'SendMessage', params, headers }));
    expect(error.reason).toBe('EXTENSION_SUPPORT_REQUIRED');
  });

  it("returns the request's id in the metadata of its answer", async () => {
    const { path, requestSerialize, responseDeserialize } = definitionOf('ListTasks');
    const metadata = new Metadata();
    metadata.set('x-request-id', 'my-own-id');
    const request = messagesOf('ListTasks').request.fromJSON({});
    const call = grpc.client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, metadata, ignore);
    const [head]: Metadata[] = await once(call, 'metadata');
    expect(head?.getMap()).toMatchObject({ 'x-request-id': 'my-own-id', 'a2a-version': '1.0' });
  });

  it('stops following a task when its client disconnects', async () => {
    const { id } = await submit(stage.url);
    const before = stage.store.feeds.size;
    const call = subscribe(grpc.client, id).on('error', ignore);
    await once(call, 'data');
    await until(() => stage.store.feeds.size === before + 1, { what: 'the task is followed' });
    call.cancel();
    await until(() => stage.store.feeds.size === before, { what: 'the task is not followed any more' });
  });

  it('loses no event for a client that pauses reading', async () => {
    const { id } = await submit(stage.url);
    const call = subscribe(grpc.client, id).on('error', ignore);
    await once(call, 'data');
    call.pause();
    const turn = await stage.beginTurn(id);
    await turn.publish(working());
    await turn.publish(chunk('', { append: false }));
    for (let number = 0; number < 3_000; number++) await turn.publish(chunk(`${number} ${'x'.repeat(1_000)}`));
    await turn.publish(completed());
    const events = await Array.fromAsync(call);
    expect(events).toHaveLength(3_003);
  });

  it('ends streams with UNAVAILABLE when the gateway stops', async () => {
    const other = await openStage({ gateway: { grpc: { port: 0, publicAddress: 'auto' } } });
    using client = overGrpc(await grpcAddressOf(other.url));
    const { id } = await submit(other.url);
    const turn = await other.beginTurn(id);
    await turn.publish(asked('what?'));
    const call = subscribe(client.client, id);
    const ended = once(call, 'error');
    await once(call, 'data');
    call.resume();
    await other.gateway.stop();
    const [error]: ServiceError[] = await ended;
    expect([error?.code, error?.details]).toEqual([status.UNAVAILABLE, expect.stringContaining('subscribe')]);
    await other[Symbol.asyncDispose]();
  });

  it('is off by default', async () => {
    const url = await stage.another();
    await expect(grpcAddressOf(url)).rejects.toThrow('the card has no gRPC');
  });

  it('is on no card unless its public address is set', async () => {
    const url = await stage.another({ grpc: { port: 0 } });
    await expect(grpcAddressOf(url)).rejects.toThrow('the card has no gRPC');
  });

  it('names the port when it is in use', async () => {
    const port = Number(address.split(':')[1]);
    await expect(stage.another({ grpc: { port } })).rejects.toThrow(/choose another GRPC_PORT/);
  });

  it('is in cards under its configured address', async () => {
    const url = await stage.another({ grpc: { port: 0, publicAddress: 'grpc.example.com:443' } });
    expect(await grpcAddressOf(url)).toBe('grpc.example.com:443');
  });

  it('can stop while a client with an abandoned stream closes its connection', async () => {
    await using stopping = await openStage({ gateway: { grpc: { port: 0, publicAddress: 'auto' }, drainMs: 200 } });
    const client = overGrpc(await grpcAddressOf(stopping.url));
    const { id } = await submit(stopping.url);
    await client.invoke({ operation: 'SubscribeToTask', params: { id }, mostEvents: 1 });
    const turn = await stopping.beginTurn(id);
    for (const event of [working('on it'), chunk('one ', { append: false }), completed()]) await turn.publish(event);
    const over = await client.invoke({ operation: 'SubscribeToTask', params: { id } });
    expect(over).toMatchObject({ error: { reason: 'UNSUPPORTED_OPERATION' } });
    client[Symbol.dispose]();
    const startedAt = performance.now();
    await stopping.gateway.stop();
    expect(performance.now() - startedAt).toBeLessThan(5_000 * patience);
  });

  describe.runIf(hasOpenssl)('with TLS', () => {
    let folder: string;

    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'switchyard-tls-'));
      const names = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')];
      const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
      execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...names, ...subject], {
        stdio: 'ignore',
      });
    });

    afterAll(() => rmSync(folder, { recursive: true }));

    it('serves clients that trust its certificate, and none without TLS', async () => {
      const certificate = readFileSync(join(folder, 'certificate.pem'));
      const tls = { certificate, privateKey: readFileSync(join(folder, 'key.pem')) };
      const secure = await grpcAddressOf(await stage.another({ grpc: { port: 0, publicAddress: 'auto', tls } }));
      const trusting = new Client(secure, credentials.createSsl(certificate));
      expect(await health(trusting)).toBe(1);
      trusting.close();
      using clear = overGrpc(secure);
      await expect(health(clear.client)).rejects.toMatchObject({ code: status.UNAVAILABLE });
    });
  });
});

function ignore(): void {
  // The call was cut on purpose.
}
