import { once } from 'node:events';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Client, credentials } from '@grpc/grpc-js';
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
import { HeldRequests } from '../src/call/held-requests.ts';
import { createLimitedResources } from '../src/limits/limited-resources.ts';
import { Rates } from '../src/limits/rates.ts';
import type { StreamItem } from '../src/operations/operation.ts';
import { defaultGatewaySettings } from '../src/settings/gateway-settings.ts';
import { agents } from './support/agents.ts';

const count = 2_000;
const jsonWith = (part: object): string =>
  JSON.stringify({ artifactUpdate: { taskId: 't', contextId: 'c', artifact: { artifactId: 'a', parts: [part] } } });
const contents = { text: jsonWith({ text: 'x'.repeat(16_000) }), raw: jsonWith({ raw: 'AAAA'.repeat(4_000) }) };

let listener: GrpcListener;
let directory: AgentDirectory;
let client: Client;
let taken: number;
let json: string;

beforeEach(async () => {
  taken = 0;
  const announced = agents.map((agent) => ({ ...agent, workers: 1, updatedAt: new Date().toISOString() }));
  const registry = { list: async () => announced, onChange: async () => () => undefined };
  directory = new AgentDirectory(registry, { agentRefreshMs: 60_000 }, () => undefined);
  await directory.start();
  const context = {
    operations: { SubscribeToTask: { kind: 'streaming', invoke: async () => items() } },
    agents: directory,
    gate: new Gate({
      authentication: new Authentication([]),
      origins: new Origins(defaultGatewaySettings, true),
      resources: createLimitedResources(defaultGatewaySettings.resources, {}),
      rates: new Rates(defaultGatewaySettings.rates, () => undefined),
      emit: () => undefined,
    }),
    heldRequests: new HeldRequests(),
    emit: () => undefined,
    settings: defaultGatewaySettings,
    grpcPort: () => listener.port,
  } as unknown as GatewayContext;
  listener = new GrpcListener({ a2a: createService(context), legacy: createLegacyService(context) }, context);
  await listener.open('127.0.0.1', { port: 0 });
  client = new Client(`127.0.0.1:${listener.port}`, credentials.createInsecure());
});

afterEach(async () => {
  client.close();
  directory.stop();
  await listener.close(0);
});

/** Yields all items at once, as fast as they are requested. */
async function* items(): AsyncGenerator<StreamItem, void> {
  for (let seq = 1; seq <= count; seq++) {
    taken = seq;
    yield { seq, json };
  }
}

const subscriptions = {
  '1.0': () => {
    const { path, requestSerialize, responseDeserialize } = A2AService.subscribeToTask;
    return client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, { tenant: '', id: 't' });
  },
  '0.3': () => {
    const { path, requestSerialize, responseDeserialize } = LegacyA2AService.taskSubscription;
    return client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, { name: 'tasks/t' });
  },
};

describe.each(['1.0', '0.3'] as const)('A stream over gRPC %s', (version) => {
  it.each(['text', 'raw'] as const)(
    'takes no more %s than its client reads, and goes on when it does',
    async (kind) => {
      json = contents[kind];
      const call = subscriptions[version]();
      await once(call, 'data');
      call.pause();
      let before = 0;
      const rests = (): boolean => {
        const isSame = taken === before;
        before = taken;
        return isSame;
      };
      await until(rests, { what: 'no more events are taken' });
      expect(taken).toBeLessThan(count / 2);
      expect(await Array.fromAsync(call)).toHaveLength(count - 1);
    },
  );
});
