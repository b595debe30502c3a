import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openProxy, type TestProxy } from '../support/proxy-server.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// Every program behind a company's proxy, which alone knows the names of other systems.

// On a busy machine processes start slowly.
let world: Server;
let proxy: TestProxy;
let stack: Stack;
let folder: string;
const secret = 'company-password';

beforeAll(async () => {
  world = createServer((request, response) => {
    request.resume();
    const { host } = request.headers;
    const face = { url: `http://${host}/`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' };
    const card = { name: 'Far', description: 'far', version: '1', skills: [], capabilities: {} };
    const modes = { defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] };
    const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } };
    response.setHeader('content-type', 'application/json');
    if (request.url?.includes('agent-card'))
      response.end(JSON.stringify({ ...card, ...modes, supportedInterfaces: [face] }));
    else response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: task }));
  });
  await new Promise<void>((resolve) => world.listen(0, '127.0.0.1', resolve));
  const { port } = world.address() as AddressInfo;
  proxy = await openProxy({ portOf: () => port, credentials: `ada:${secret}` });
  folder = await mkdtemp(join(tmpdir(), 'switchyard-proxies-'));
  const agents = join(folder, 'agents.yaml');
  await writeFile(agents, 'agents:\n  - id: far\n    url: http://agent.test\n    attempts: 1\n');
  stack = await startStack({
    redisUrl: inject('redisUrl'),
    agents: ['echo', agents],
    env: {
      HTTP_PROXY: proxy.url.replace('//', `//ada:${secret}@`),
      AUTH: 'api-key,jwt',
      API_KEYS: 'a-key-of-a-client:default/ada',
      JWT_ISSUER: 'http://issuer.test',
      JWT_AUDIENCE: 'switchyard',
      DEFAULT_AGENT: 'echo',
      PUSH_ALLOW_HTTP: 'true',
      PUSH_CLEAR: 'on',
      TRACES: 'otlp',
      TRACES_URL: 'http://collector.test/v1/traces',
    },
  });
});

afterAll(async () => {
  await stack?.stop();
  await proxy?.[Symbol.asyncDispose]();
  world?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

const seen = (request: string) => until(() => proxy.requests.includes(request), { what: request, timeoutMs: 20_000 });

async function post(headers: Record<string, string>, configuration: object = {}, at = ''): Promise<Response> {
  return fetch(`${stack.urls[0]}${at}/message:send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers },
    body: JSON.stringify({
      message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hi' }] },
      configuration,
    }),
  });
}
const key = { 'x-api-key': 'a-key-of-a-client' };

describe('through the proxy go', () => {
  it('the card of an agent elsewhere', () => seen('GET http://agent.test/.well-known/agent-card.json'));

  it('the calls of that agent', async () => {
    expect((await post(key, { returnImmediately: true }, '/agents/far')).status).toBe(200);
    await seen('POST http://agent.test/');
  });

  it('webhooks, and the spans of gateway and worker', async () => {
    expect((await post(key, { taskPushNotificationConfig: { url: 'http://hook.test/x' } })).status).toBe(200);
    await seen('POST http://hook.test/x');
    await seen('POST http://collector.test/v1/traces');
  });

  it("the keys of a token's issuer", async () => {
    const { privateKey } = await generateKeyPair('ES256');
    const token = await new SignJWT({ tenant: 'a' })
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .setIssuer('http://issuer.test')
      .setAudience('switchyard')
      .setSubject('ada')
      .setExpirationTime('1h')
      .sign(privateKey);
    expect((await post({ authorization: `Bearer ${token}` })).ok).toBe(false);
    await seen('GET http://issuer.test/.well-known/openid-configuration');
  });

  it('the command line, over HTTP and gRPC, and it says when the proxy refuses', async () => {
    const card = join(folder, 'card.json');
    const run = async (url: string, binding: string, env: Record<string, string>) => {
      const face = { url, protocolBinding: binding, protocolVersion: '1.0' };
      await writeFile(card, JSON.stringify({ name: 'Far', supportedInterfaces: [face] }));
      const args = ['apps/cli/src/main.ts', 'task', 'get', 't', '-a', card, '--timeout', '20s'];
      const options = { env: { PATH: process.env.PATH ?? '', HOME: folder, ...env } };
      return promisify(execFile)(process.execPath, args, options).catch((error: { stderr: string }) => error);
    };
    const open = { HTTP_PROXY: proxy.url.replace('//', `//ada:${secret}@`) };
    const { stderr } = await run('http://rest.test', 'HTTP+JSON', open);
    expect(stderr).toBe('');
    // Node's own client tunnels also what has no TLS.
    expect(proxy.requests).toContain('CONNECT rest.test:80');
    await run('grpc.test:50051', 'GRPC', open);
    expect(proxy.requests).toContain('CONNECT grpc.test:50051');
    const refused = `the proxy ${proxy.url} answered 407: it wants a user name and password`;
    expect((await run('http://rest.test', 'HTTP+JSON', { HTTP_PROXY: proxy.url })).stderr).toContain(refused);
    expect((await run('https://rest.test', 'HTTP+JSON', { HTTPS_PROXY: proxy.url })).stderr).toContain(refused);
  });

  it('no request to this machine, and no output has the password', () => {
    expect(proxy.requests.filter((request) => /127\.0\.0\.1|localhost/.test(request))).toEqual([]);
    for (const program of stack.programs) expect(program.output()).not.toContain(secret);
  });
});
