import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGateway, type Gateway, type GatewayStore } from '../src/index.ts';
import { openStream, submit } from './support/client.ts';
import { openStage, type Stage } from './support/stage.ts';

let stage: Stage;
let gateway: Gateway;
let url: string;

beforeAll(async () => {
  stage = await openStage();
  const { settings, registry, inside, timesToLive } = stage.store;
  const feeds: GatewayStore['feeds'] = { follow: breakDown, presubscribe: () => undefined, readersOf: () => [] };
  const store: GatewayStore = {
    settings,
    registry,
    inside,
    timesToLive,
    feeds,
    isAnswering: true,
    availability: () => stage.store.availability(),
    observe: () => undefined,
    forRequests: (timeoutMs) => stage.store.forRequests(timeoutMs),
  };
  gateway = createGateway({ port: 0, defaultAgent: 'echo' }, { store, log: pino({ level: 'silent' }) });
  ({ url } = await gateway.start());
});

afterAll(async () => {
  await gateway.stop();
  await stage[Symbol.asyncDispose]();
});

/** A feed that fails by an internal error after the headers were sent. */
async function* breakDown(
  ...[, , { from } = {}]: Parameters<GatewayStore['feeds']['follow']>
): ReturnType<GatewayStore['feeds']['follow']> {
  if (from) yield from;
  throw new Error('secret detail');
}

describe('a stream that fails', () => {
  it("ends with an error event in REST's format", async () => {
    const { id } = await submit(stage.url);
    const stream = await openStream(`${url}/tasks/${id}:subscribe`);
    const [task, error, ...others] = await stream.rest();
    expect([stream.response.status, task?.event, others]).toEqual([200, undefined, []]);
    expect(error).toMatchObject({ event: 'error', id: undefined, data: { error: { code: 500, status: 'INTERNAL' } } });
    expect(JSON.stringify(error)).not.toContain('secret');
  });

  it('ends with an error response in JSON-RPC', async () => {
    const { id } = await submit(stage.url);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'SubscribeToTask', params: { id } });
    const stream = await openStream(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    const [, error] = await stream.rest();
    expect(error).toMatchObject({
      event: undefined,
      id: undefined,
      data: { jsonrpc: '2.0', id: 9, error: { code: -32603 } },
    });
  });
});
