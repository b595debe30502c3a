import { once } from 'node:events';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { Credentials } from '@switchyard/access';
import type { Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EventStream, openEventStream } from '../../../../tests/support/event-stream.ts';
import { startRedis, type TestRedis } from '../../../../tests/support/redis.ts';
import { until } from '../../../../tests/support/until.ts';
import { type GrpcBinding, overGrpc } from '../support/bindings/over-grpc.ts';
import { post, type Sent, userMessage } from '../support/client.ts';
import { grpcAddressOf } from '../support/grpc-address.ts';
import { everyBinding, type Probe, probeAll, probesOf } from '../support/probe-bindings.ts';
import { openStage, type Stage } from '../support/stage.ts';

const cacheMs = 60_000;
const draft = { tenant: 'acme', subject: 'alice', scopes: [] };
const environmentKey = 'a-key-of-the-environment';

let redis: TestRedis;
let stage: Stage;
let rpc: GrpcBinding;
let probes: Readonly<Record<string, Probe>>;

beforeAll(async () => {
  redis = await startRedis();
  const keys = [{ key: environmentKey, subject: 'eve', tenant: 'acme', scopes: [] }];
  const gateway = {
    auth: { keys, keyCacheMs: cacheMs },
    grpc: { port: 0, publicAddress: 'auto' },
    storeTimeoutMs: 200,
  };
  stage = await openStage({ redisUrl: redis.url, gateway });
  probes = await probesOf(stage.url);
  rpc = overGrpc(await grpcAddressOf(stage.url));
});

afterAll(async () => {
  rpc[Symbol.dispose]();
  await stage[Symbol.asyncDispose]();
  await redis.stop();
});

async function sent(headers: Record<string, string>): Promise<Task> {
  const body = { message: userMessage('hello'), configuration: { returnImmediately: true } };
  return (await post<Sent>(`${stage.url}/message:send`, body, headers)).body.task;
}

/** Follows the task over gRPC of 0.3. @returns the coming error at its end */
async function followOverLegacyGrpc(taskId: string, key: string): Promise<{ readonly end: Promise<ServiceError[]> }> {
  const { path, requestSerialize, responseDeserialize } = LegacyA2AService.taskSubscription;
  const metadata = new Metadata();
  metadata.set('x-api-key', key);
  const sent = { name: `tasks/${taskId}` };
  const call = rpc.client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, sent, metadata);
  const end: Promise<ServiceError[]> = once(call, 'error');
  await once(call, 'data');
  return { end };
}

const nextOf = (stream: EventStream) => stream[Symbol.asyncIterator]().next();
const withKey = (key: string) => ({ 'x-api-key': key });
const asBearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe('an API key in Redis', () => {
  it('works as soon as it is created, and so do the keys of the environment', async () => {
    const { key } = await new Credentials(stage.store.inside).create(draft);
    expect(await probeAll(probes, withKey(key))).toEqual(everyBinding(200));
    expect(await probeAll(probes, asBearer(key))).toEqual(everyBinding(200));
    expect(await probeAll(probes, withKey(environmentKey))).toEqual(everyBinding(200));
  });

  it('is refused if shortened, extended or mixed with another key, also once its owner has used it', async () => {
    const [{ key }, other] = [
      await new Credentials(stage.store.inside).create(draft),
      await new Credentials(stage.store.inside).create(draft),
    ];
    const guesses = [
      key.slice(0, -1),
      `${key}x`,
      key.slice(0, 20),
      key.slice(0, 17) + other.key.slice(17),
      `swk_0123456789ab${key.slice(16)}`,
      environmentKey.slice(0, -1),
    ];
    for (const guess of guesses)
      expect([guess, await probeAll(probes, withKey(guess))]).toEqual([guess, everyBinding(401)]);
    expect(await probeAll(probes, withKey(key))).toEqual(everyBinding(200));
    for (const guess of guesses)
      expect([guess, await probeAll(probes, asBearer(guess))]).toEqual([guess, everyBinding(401)]);
  });

  it('is refused from its revocation on, although gateways cache keys', async () => {
    const { key, credential } = await new Credentials(stage.store.inside).create(draft);
    expect(await probeAll(probes, withKey(key))).toEqual(everyBinding(200));
    await new Credentials(stage.store.inside).revoke(credential.id);
    const isRefused = async () => (await fetch(`${stage.url}/tasks`, { headers: withKey(key) })).status === 401;
    await until(isRefused, { what: 'the revocation has reached the gateway', timeoutMs: 1_000 });
    expect(await probeAll(probes, withKey(key))).toEqual(everyBinding(401));
  });

  it('is refused from its expiry on, although the gateway caches it', async () => {
    const expiresAt = new Date(Date.now() + 300).toISOString();
    const { key } = await new Credentials(stage.store.inside).create({ ...draft, expiresAt });
    expect(await probeAll(probes, withKey(key))).toEqual(everyBinding(200));
    await until(() => Date.parse(expiresAt) < Date.now(), { what: 'the key has expired' });
    expect(await probeAll(probes, withKey(key))).toEqual(everyBinding(401));
  });

  it('ends the streams of its owner when it is revoked or expires, in every binding, and no others', async () => {
    for (const lastsMs of [undefined, 500]) {
      const expiresAt = lastsMs === undefined ? undefined : new Date(Date.now() + lastsMs).toISOString();
      const { key, credential } = await new Credentials(stage.store.inside).create({ ...draft, expiresAt });
      const task = await sent(withKey(key));
      const another = await openEventStream(
        `${stage.url}/tasks/${(await sent(withKey(environmentKey))).id}:subscribe`,
        {
          method: 'POST',
          headers: withKey(environmentKey),
        },
      );
      const sse = await openEventStream(`${stage.url}/tasks/${task.id}:subscribe`, {
        method: 'POST',
        headers: withKey(key),
      });
      const overRpc = rpc.invoke({ operation: 'SubscribeToTask', params: { id: task.id }, headers: withKey(key) });
      const overLegacyRpc = await followOverLegacyGrpc(task.id, key);
      expect((await nextOf(sse)).done).toBe(false);
      if (expiresAt === undefined) await new Credentials(stage.store.inside).revoke(credential.id);
      expect(await overRpc).toMatchObject({ error: { reason: 'UNAUTHENTICATED' } });
      const [error] = await overLegacyRpc.end;
      expect([error?.code, error?.details]).toEqual([
        status.UNAUTHENTICATED,
        expect.stringContaining('has expired, or was revoked'),
      ]);
      const { value: last } = await nextOf(sse);
      expect(JSON.parse(last?.text ?? '')).toMatchObject({ error: { status: 'UNAUTHENTICATED' } });
      expect((await nextOf(sse)).done).toBe(true);
      expect((await nextOf(another)).done).toBe(false);
      another.cut();
    }
  });

  it('is requested by a challenge in every binding', async () => {
    for (const probe of Object.values(probes)) {
      expect(await probe({})).toEqual({ status: 401, challenge: 'Bearer realm="switchyard"' });
      expect(await probe(withKey('wrong'))).toEqual({ status: 401, challenge: 'Bearer realm="switchyard"' });
    }
  });

  it('gets 503, not 401, while Redis is unreachable and the key is not cached', async () => {
    const [{ key: known }, { key: unknown }] = [
      await new Credentials(stage.store.inside).create(draft),
      await new Credentials(stage.store.inside).create(draft),
    ];
    // A busy machine may refuse a request for want of a Redis that answers in time.
    await expect.poll(() => probeAll(probes, withKey(known))).toEqual(everyBinding(200));
    await redis.stop();
    expect(await probeAll(probes, withKey(unknown))).toEqual(everyBinding(503));
    expect((await fetch(`${stage.url}/agents`, { headers: withKey(known) })).status).toBe(200);
    expect((await fetch(`${stage.url}/agents`, { headers: withKey('wrong') })).status).toBe(401);
  });
});
