import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRedis, type TestRedis } from '../../../tests/support/redis.ts';
import { agents } from './support/agents.ts';
import { overGrpc } from './support/bindings/over-grpc.ts';
import { overJsonRpc, overRest } from './support/bindings/over-http.ts';
import { call, type ErrorBody, get, post, send, submit, userMessage } from './support/client.ts';
import { grpcAddressOf } from './support/grpc-address.ts';
import { openStage, type Stage } from './support/stage.ts';

let redis: TestRedis;
let stage: Stage;

beforeAll(async () => {
  redis = await startRedis();
  stage = await openStage({
    redisUrl: redis.url,
    gateway: { storeTimeoutMs: 200, grpc: { port: 0, publicAddress: 'auto' } },
  });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await redis.stop();
});

const announced = ({ store }: Stage): Promise<boolean> =>
  store.registry.announce(agents, 'test').then(
    () => true,
    () => false,
  );

describe('a gateway whose Redis is full', () => {
  it('refuses a message with 503 and a reason of its own, over each binding', async () => {
    const client = new Redis(redis.url);
    using grpc = overGrpc(await grpcAddressOf(stage.url));
    const bindings = [overJsonRpc(`${stage.url}/agents/echo`), overRest(`${stage.url}/agents/echo`), grpc];
    try {
      await client.config('SET', 'maxmemory', '1');
      for (const binding of bindings)
        expect(
          await binding.invoke({ operation: 'SendMessage', params: { message: userMessage('hello') } }),
        ).toMatchObject({
          error: { message: 'The task store is full', reason: 'STORE_FULL', metadata: { limit: 'memory' } },
        });
      const refused = await post<ErrorBody>(`${stage.url}/message:send`, { message: userMessage('hello') });
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    } finally {
      await client.config('SET', 'maxmemory', '0');
      client.disconnect();
    }
  });
});

describe('a gateway whose Redis is unreachable', () => {
  it('answers 503 with Retry-After, and serves requests again when Redis is back', async () => {
    await submit(stage.url);
    await redis.stop();

    const read = await get<ErrorBody>(`${stage.url}/tasks/1`);
    expect([read.status, read.body.error.status, read.headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '1']);
    const sent = await post<ErrorBody>(`${stage.url}/message:stream`, { message: userMessage('hello') });
    expect(sent.status).toBe(503);
    const jsonRpc = await call<ErrorBody>(stage.url, 'ListTasks', {});
    expect([jsonRpc.status, jsonRpc.body]).toMatchObject([503, { jsonrpc: '2.0', id: 1, error: { code: -32057 } }]);
    expect(jsonRpc.body.error.message).not.toMatch(/redis|ECONN|127\.0\.0\.1/i);
    expect(await get(`${stage.url}/readyz`)).toMatchObject({ status: 503, body: { status: 'unavailable' } });
    expect((await get(`${stage.url}/healthz`)).status).toBe(200);
    expect((await get(`${stage.url}/.well-known/agent-card.json`)).status).toBe(200);

    redis = await startRedis({ port: Number(new URL(redis.url).port) });
    await expect.poll(async () => (await get(`${stage.url}/readyz`)).status).toBe(200);
    // Redis has forgotten everything, and the worker announces its agents again. Connections come back one by one.
    await expect.poll(() => announced(stage)).toBe(true);
    const message = userMessage('hello again');
    const resent = async () => (await send(stage.url, message, { returnImmediately: true })).status;
    await expect.poll(resent).toBe(200);
  });
});
