import { createServer, type Server } from 'node:http';
import { connect } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { userMessage } from '../support/messages.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { get, post } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// Secrets and texts are sent through every operation, and must appear nowhere else.

const canary = (name: string): string => `canary-of-${name}-5f2c91`;
const planted = {
  apiKey: canary('api-key'),
  wrongKey: canary('wrong-key'),
  token: `eyJhbGciOiJub25lIn0.${canary('token')}.x`,
  adminKey: canary('admin-key'),
  redisPassword: canary('redis-password'),
  pushSecret: canary('push-secret-that-is-long-enough'),
  webhookToken: canary('webhook-token'),
  webhookCredentials: canary('webhook-credentials'),
  webhookPath: canary('webhook-path'),
  text: canary('text'),
  data: canary('data'),
  metadata: canary('metadata'),
  query: canary('query'),
  cookie: canary('cookie'),
  brokenJson: canary('broken-json'),
};
const bobsKey = 'the-key-of-bob-0123456789';

let redis: TestRedis;
let receiver: Server;
let stack: Stack;
let url: string;
let adminUrl: string;

beforeAll(async () => {
  redis = await startRedis();
  const admin = new Redis(redis.url);
  await admin.config('SET', 'requirepass', planted.redisPassword);
  admin.disconnect();
  receiver = createServer((_, res) => res.writeHead(500).end()).listen(0, '127.0.0.1');
  stack = await startStack({
    redisUrl: redis.url.replace('//', `//default:${planted.redisPassword}@`),
    agents: ['echo'],
    env: {
      AUTH: 'api-key',
      API_KEYS: `${planted.apiKey}:ada,${bobsKey}:bob`,
      ADMIN_PORT: '0',
      ADMIN_KEY: planted.adminKey,
      METRICS_PORT: '0',
      PUSH_SECRET: planted.pushSecret,
      PUSH_ALLOW_HTTP: 'on',
      PUSH_ALLOW_HOSTS: '127.0.0.1',
      PUSH_MAX_ATTEMPTS: '1',
      AUDIT: 'all',
      LOG_LEVEL: 'trace',
    },
  });
  [url = ''] = stack.urls;
  const [, found = ''] = (await stack.gateways[0]?.waitFor(/"adminUrl":"([^"]+)"/)) ?? [];
  adminUrl = found;
});

afterAll(async () => {
  await stack?.stop();
  receiver?.close();
  await redis?.stop();
});

const ada = { 'x-api-key': planted.apiKey, cookie: `session=${planted.cookie}` };
const message = (more: object = {}): object => ({
  ...userMessage(planted.text),
  parts: [{ text: planted.text }, { data: { secret: planted.data } }],
  metadata: { secret: planted.metadata },
  ...more,
});

/** Every correct and wrong request of a client. @returns the id of a task */
async function doEverything(): Promise<string> {
  const { port } = receiver.address() as AddressInfo;
  const webhook = {
    id: 'hook',
    url: `http://127.0.0.1:${port}/${planted.webhookPath}?secret=${planted.query}`,
    token: planted.webhookToken,
    authentication: { scheme: 'Bearer', credentials: planted.webhookCredentials },
  };
  const configuration = { taskPushNotificationConfig: webhook };
  const { body } = await post<{ task: { id: string } }>(
    `${url}/message:send`,
    { message: message(), configuration },
    ada,
  );
  const { id } = body.task;
  await post(`${url}/message:send`, { message: message({ role: 'ROLE_AGENT' }) }, ada);
  await post(`${url}/message:send`, { message: message({ parts: [{ [planted.text]: 1 }] }) }, ada);
  await post(`${url}/tasks/${id}/pushNotificationConfigs`, { ...webhook, url: `ftp://${planted.webhookPath}` }, ada);
  await get(`${url}/tasks/${id}?secret=${planted.query}`, ada);
  await get(`${url}/tasks?pageToken=${planted.query}`, ada);
  await get(`${url}/tasks`, { 'x-api-key': planted.wrongKey });
  await get(`${url}/tasks`, { authorization: `Bearer ${planted.token}` });
  const rpc = (method: string, params: object) => post(url, { jsonrpc: '2.0', id: 1, method, params }, ada);
  await rpc('SendMessage', { message: message() });
  await rpc('SendMessage', { message: planted.text });
  await rpc('message/send', { message: { ...message(), role: 'user', parts: [{ kind: 'text', text: planted.text }] } });
  const json = { ...ada, 'content-type': 'application/json' };
  await fetch(`${url}/message:send`, { method: 'POST', headers: json, body: `{"key": "${planted.brokenJson}` });
  await fetch(url, { method: 'POST', headers: json, body: `{"key": ${planted.brokenJson}}` });
  await overGrpc(planted.apiKey);
  await overGrpc(planted.wrongKey);
  for (const key of [planted.adminKey, planted.wrongKey])
    await get(`${adminUrl}/admin/tasks/${id}?contents=true&secret=${planted.query}`, { 'x-api-key': key });
  return id;
}

/** Sends an invalid message over gRPC. */
async function overGrpc(key: string): Promise<void> {
  const [, port = ''] = (await stack.gateways[0]?.waitFor(/"grpcPort":(\d+)/)) ?? [];
  const session = connect(`http://127.0.0.1:${port}`);
  const stream = session.request({
    ':method': 'POST',
    ':path': '/lf.a2a.v1.A2AService/SendMessage',
    'content-type': 'application/grpc',
    te: 'trailers',
    'x-api-key': key,
  });
  const text = Buffer.from(planted.text);
  stream.end(Buffer.concat([Buffer.from([0, 0, 0, 0, text.length]), text]));
  await stream.resume().toArray();
  session.close();
}

/** Everything that operators and strangers see, except contents that operators request. */
async function seen(id: string): Promise<Record<string, string>> {
  const operator = { 'x-api-key': planted.adminKey };
  const text = async (at: string, headers: Record<string, string> = operator): Promise<string> =>
    (await fetch(at, { headers })).text();
  const workerPort = (await stack.workers[0]?.waitFor(/"event":"measuring","port":(\d+)/))?.[1];
  const admin = ['audit?pageSize=100', 'agents', 'workers', 'tenants', 'keys', 'dead-letters', `tasks/${id}`, 'health'];
  const answers = admin.map(async (path) => [path, await text(`${adminUrl}/admin/${path}`)]);
  return {
    ...Object.fromEntries(await Promise.all(answers)),
    metrics: await text(`${adminUrl}/metrics`),
    'metrics of the worker': await text(`http://127.0.0.1:${workerPort}/metrics`, {}),
    'error for another': await text(`${url}/tasks/${id}`, { 'x-api-key': bobsKey }),
    'error for nobody': await text(`${url}/tasks/${id}`, {}),
    output: stack.programs.map((program) => program.output()).join('\n'),
  };
}

it("no secret and no text of a user is in logs, metrics, the audit trail or other callers' errors", async () => {
  const id = await doEverything();
  let all = await seen(id);
  // Webhooks are retried for a while, and the audit trail is written in batches. The last action is a refused read.
  const isComplete = async (): Promise<boolean> => {
    all = await seen(id);
    return Boolean(
      all['dead-letters']?.includes('"webhook"') && all['audit?pageSize=100']?.includes('"what":"refused"'),
    );
  };
  await until(isComplete, { what: 'the webhook is given up and the audit trail is written', timeoutMs: 20_000 });
  // The contents are stored, and the log is not empty.
  const operator = { 'x-api-key': planted.adminKey };
  const { body } = await get(`${adminUrl}/admin/tasks/${id}?contents=true`, operator);
  for (const name of ['text', 'data', 'metadata'] as const) expect(JSON.stringify(body)).toContain(planted[name]);
  expect(all.output).toContain('"level":20');
  expect(all['audit?pageSize=100']).toContain('"what":"send"');
  const leaks = Object.entries(all).flatMap(([where, text]) =>
    Object.entries(planted).flatMap(([what, secret]) => (text.includes(secret) ? [`${what} in ${where}`] : [])),
  );
  expect(leaks, leaks.join('\n')).toEqual([]);
});
