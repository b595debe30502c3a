import { once } from 'node:events';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Client, type ClientReadableStream, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { Gate } from '../src/admission/gate.ts';
import { Origins } from '../src/admission/origins.ts';
import { AgentDirectory } from '../src/agents/agent-directory.ts';
import { Authentication } from '../src/auth/authentication.ts';
import type { GatewayContext } from '../src/bindings/gateway-context.ts';
import { GrpcListener } from '../src/bindings/grpc/grpc-listener.ts';
import { createService } from '../src/bindings/grpc/service.ts';
import { createLegacyService } from '../src/bindings/v0_3/service.ts';
import type { Call } from '../src/call/call.ts';
import { HeldRequests } from '../src/call/held-requests.ts';
import { Listener } from '../src/http/listener.ts';
import { createApp } from '../src/http/router.ts';
import type { Readiness } from '../src/http/serve-health.ts';
import { createLimitedResources } from '../src/limits/limited-resources.ts';
import { Rates } from '../src/limits/rates.ts';
import type { StreamItem } from '../src/operations/operation.ts';
import { defaultConnectionLimits } from '../src/settings/connection-settings.ts';
import { defaultGatewaySettings, defaultGrpcLimits } from '../src/settings/gateway-settings.ts';
import type { GatewayEvent } from '../src/telemetry/events.ts';
import { agents } from './support/agents.ts';

const STALL_MS = 300;
/** Longer than a test of a slow reader takes. */
const AGE_MS = 5_000;
/** The library pings its clients meanwhile. */
const GRACE_MS = 2 * STALL_MS;
const json = JSON.stringify({
  artifactUpdate: { taskId: 't', contextId: 'c', artifact: { artifactId: 'a', parts: [{ text: 'x'.repeat(60_000) }] } },
});

/** How the source of all streams behaves: `endless` has always another event, `quiet` has one. */
let source: 'endless' | 'quiet';
let heldRequests: HeldRequests;
let events: GatewayEvent[];
let directory: AgentDirectory;
let http: Listener;
let grpc: GrpcListener;
let url: string;
let client: Client;

async function* items({ signal }: Call): AsyncGenerator<StreamItem, void> {
  for (let seq = 1; !signal.aborted; seq++) {
    yield { seq, json };
    if (source === 'quiet' && !signal.aborted) await once(signal, 'abort');
  }
}

beforeEach(async () => {
  heldRequests = new HeldRequests();
  events = [];
  const emit = (event: GatewayEvent): void => void events.push(event);
  const announced = agents.map((agent) => ({ ...agent, workers: 1, updatedAt: new Date().toISOString() }));
  const registry = { list: async () => announced, onChange: async () => () => undefined };
  directory = new AgentDirectory(registry, { agentRefreshMs: 60_000 }, () => undefined);
  await directory.start();
  const grpcLimits = { ...defaultGrpcLimits, ageMs: AGE_MS, ageGraceMs: GRACE_MS };
  const settings = { ...defaultGatewaySettings, clientStallMs: STALL_MS, grpcLimits };
  const context = {
    operations: { SubscribeToTask: { kind: 'streaming', invoke: async (call: Call) => items(call) } },
    agents: directory,
    gate: new Gate({
      authentication: new Authentication([]),
      origins: new Origins(settings, true),
      resources: createLimitedResources(settings.resources, {}),
      rates: new Rates(settings.rates, () => undefined),
      emit,
    }),
    heldRequests,
    emit,
    settings,
    grpcPort: () => grpc.port,
    httpUrl: () => url,
  } as unknown as GatewayContext;
  grpc = new GrpcListener({ a2a: createService(context), legacy: createLegacyService(context) }, context);
  await grpc.open('127.0.0.1', { port: 0 });
  client = new Client(`127.0.0.1:${grpc.port}`, credentials.createInsecure());
  http = new Listener(createApp(contextWithOperations(context), {} as Readiness), {
    stallMs: STALL_MS,
    onStalled: (res) => heldRequests.cut(res, 'slow-reader'),
    connections: defaultConnectionLimits,
  });
  url = await http.open('127.0.0.1', 0);
});

afterEach(async () => {
  client.close();
  directory.stop();
  await Promise.all([http.close(0), grpc.close(0)]);
});

/** The router asks each operation for its kind. */
function contextWithOperations(context: GatewayContext): GatewayContext {
  const { SubscribeToTask } = context.operations;
  const operations = new Proxy(context.operations, { get: () => SubscribeToTask });
  return { ...context, operations };
}

const rpc = (method: string) => ({ path: '/', body: { jsonrpc: '2.0', id: 7, method, params: { id: 't' } } });
const overHttp = {
  'JSON-RPC': rpc('SubscribeToTask'),
  'HTTP+JSON': { path: '/tasks/t:subscribe', body: {} },
  'JSON-RPC of 0.3': rpc('tasks/resubscribe'),
  'HTTP+JSON of 0.3': { path: '/v1/tasks/t:subscribe', body: {} },
};

const overGrpc = {
  '1.0': () => {
    const { path, requestSerialize, responseDeserialize } = A2AService.subscribeToTask;
    return client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, { tenant: '', id: 't' });
  },
  '0.3': () => {
    const { path, requestSerialize, responseDeserialize } = LegacyA2AService.taskSubscription;
    return client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, { name: 'tasks/t' });
  },
};

async function errorOf(call: ClientReadableStream<unknown>): Promise<ServiceError> {
  const [error]: ServiceError[] = await once(call, 'error');
  if (!error) throw new Error('the call has no status');
  return error;
}

const isAnswered = (event: GatewayEvent): boolean => event.kind === 'answered';
const isEnded = (event: GatewayEvent): boolean => event.kind === 'refused';

describe('A client that reads nothing for too long, and then reads again at once', () => {
  it.each(Object.entries(overHttp))('finds the reason at the end of its stream, over %s', async (_, { path, body }) => {
    source = 'endless';
    const response = await fetch(url + path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
    await until(() => events.some(isEnded), { what: 'the gateway ends the stream' });
    const last = JSON.parse((await response.text()).trim().split('data: ').at(-1) ?? '');
    const { error = last } = last;
    expect(error.message).toContain('has read nothing of this stream for too long: subscribe to the task again');
    expect(events.filter(({ kind }) => kind === 'failed')).toEqual([]);
  });

  it.each(['1.0', '0.3'] as const)('gets the status RESOURCE_EXHAUSTED over gRPC %s', async (version) => {
    source = 'endless';
    const call = overGrpc[version]();
    await once(call, 'data');
    call.pause();
    const error = errorOf(call);
    await until(() => events.some(isAnswered), { what: 'the gateway ends the stream' });
    call.resume();
    expect((await error).code).toBe(status.RESOURCE_EXHAUSTED);
  });
});

describe.each(['1.0', '0.3'] as const)('A stream over gRPC %s', (version) => {
  it('ends with UNAVAILABLE and the reason on a connection that is too old', async () => {
    source = 'quiet';
    const error = await errorOf(overGrpc[version]().resume());
    expect([error.code, error.details]).toEqual([
      status.UNAVAILABLE,
      expect.stringContaining('has reached its greatest age: subscribe to the task again'),
    ]);
  });

  it('ends with UNAVAILABLE and the reason when its gateway shuts down', async () => {
    source = 'quiet';
    const call = overGrpc[version]();
    await once(call, 'data');
    heldRequests.end();
    const error = await errorOf(call.resume());
    expect([error.code, error.details]).toEqual([
      status.UNAVAILABLE,
      expect.stringContaining('is shutting down: subscribe to the task again'),
    ]);
  });
});
