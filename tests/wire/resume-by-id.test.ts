import { AgentCard } from '@a2a-js/sdk';
import { JsonRpcTransportFactory, RestTransportFactory, type Transport } from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { readSdkEvent } from '@switchyard/executor-sdk';
import { eventIdIn, resumableStreamsUri } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { expectAllEvents, numberedLines } from '../support/all-events.ts';
import { openEventStream } from '../support/event-stream.ts';
import { userMessage } from '../support/messages.ts';
import { get, getTask, submit } from '../support/rest.ts';
import { SentEvent } from '../support/sent-events.ts';
import { type GatewayProcess, type Stack, startStack } from '../support/stack.ts';

// On a busy machine processes start slowly.
// The official client over every binding and version, with docs/extensions/resumable-streams.md.

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    redisUrl: inject('redisUrl'),
    agents: ['typist'],
    gateways: 2,
    env: { SWEEP_AFTER_MS: '1500', SWEEP_MS: '200' },
  });
});

afterAll(() => stack.stop());

const options = { legacyCompat: { enabled: true } };
const factories = {
  JSONRPC: new JsonRpcTransportFactory(options),
  'HTTP+JSON': new RestTransportFactory(options),
  GRPC: new GrpcTransportFactory(options),
};

interface ClientKind {
  readonly binding: keyof typeof factories;
  readonly version: string;
}

const kinds: readonly ClientKind[] = ['1.0', '0.3'].flatMap((version) => [
  { binding: 'JSONRPC', version } as const,
  { binding: 'HTTP+JSON', version } as const,
  { binding: 'GRPC', version } as const,
]);

/** The client of a binding at one gateway. */
async function transportTo(base: string, { binding, version }: ClientKind): Promise<Transport> {
  const { body } = await get<{ supportedInterfaces: { url: string; protocolBinding: string }[] }>(
    `${base}/.well-known/agent-card.json`,
    { 'a2a-version': '1.0' },
  );
  const { url = '' } = body.supportedInterfaces.find((each) => each.protocolBinding === binding) ?? {};
  const card = AgentCard.fromJSON({
    supportedInterfaces: [{ url, protocolBinding: binding, protocolVersion: version }],
  });
  return await factories[binding].create(url, card);
}

interface Reading {
  readonly taskId: string;
  readonly events: SentEvent[];
  /** Cuts the stream after this many events. Default: reads until the stream ends or breaks. */
  readonly mostEvents?: number;
}

/** Continues after the last event. @returns whether the stream ended rather than was cut */
async function readOn(transport: Transport, { taskId, events, mostEvents }: Reading): Promise<boolean> {
  const serviceParameters = {
    'A2A-Extensions': resumableStreamsUri,
    'Last-Event-ID': events.at(-1)?.eventId ?? '0',
  };
  let left = mostEvents ?? Number.POSITIVE_INFINITY;
  for await (const event of transport.resubscribeTask({ tenant: '', id: taskId }, { serviceParameters })) {
    const read = readSdkEvent(event);
    const { metadata } = read.task ?? read.statusUpdate ?? read.artifactUpdate ?? {};
    events.push(new SentEvent(eventIdIn(metadata) ?? 'none', JSON.stringify(read)));
    if (--left === 0) return false;
  }
  return true;
}

/** The content of an event; the official client loses `append` over HTTP+JSON and gRPC of 0.3. */
function contentOf({ eventId, data: { statusUpdate, artifactUpdate } }: SentEvent): readonly unknown[] {
  const { artifactId, parts } = artifactUpdate?.artifact ?? {};
  return [eventId, statusUpdate?.status.state, artifactId, parts];
}

/** Expects the events of one uncut stream, which are all events of the task. */
async function expectPage(taskId: string, lines: number, events: readonly SentEvent[]): Promise<void> {
  const [url = ''] = stack.urls;
  const task = await getTask(url, taskId);
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(task.artifacts?.[0]?.parts).toEqual([{ text: numberedLines('line', lines) }]);
  const uncut = await (await openEventStream(`${url}/tasks/${taskId}:subscribe`, { lastEventId: 0 })).rest();
  expectAllEvents(uncut, task);
  expect(events.map(contentOf)).toEqual(uncut.map(contentOf));
}

describe.each(kinds)('A stream over $binding of A2A $version', (kind) => {
  it('has every event once, in order, when it is cut after each and resumed at the other gateway', async () => {
    const { id: taskId } = await submit(stack.urls[0] ?? '', userMessage('40'));
    const transports = await Promise.all(stack.urls.map((url) => transportTo(url, kind)));
    const events: SentEvent[] = [];
    for (let cuts = 0; ; cuts++) {
      const transport = transports[cuts % transports.length] as Transport;
      // The last event of an ended task ends its stream.
      if (await readOn(transport, { taskId, events, mostEvents: 1 })) break;
      const { statusUpdate } = events.at(-1)?.data ?? {};
      if (statusUpdate?.status.state === 'TASK_STATE_COMPLETED') break;
    }
    await expectPage(taskId, 40, events);
  });
});

// A stream of 0.3 is a translated one of 1.0.
describe.each(kinds.filter(({ version }) => version === '1.0'))('A stream over $binding of A2A $version', (kind) => {
  it('has every event once, in order, when its gateway is killed, and the workers after it', async () => {
    const doomed: GatewayProcess = await stack.addGateway();
    await stack.untilReady();
    const { id: taskId } = await submit(doomed.url, userMessage('200'));
    const events: SentEvent[] = [];
    const first = await transportTo(doomed.url, kind);
    await readOn(first, { taskId, events, mostEvents: 20 });
    const broken = readOn(first, { taskId, events }).then(
      () => 'ended',
      () => 'broke off',
    );
    await expect.poll(() => events.length).toBeGreaterThan(40);
    doomed.kill('SIGKILL');
    // Clients notice a dead server differently: some end the stream as if it were complete.
    await broken;
    expect(events.length).toBeLessThan(200);
    const rest = readOn(await transportTo(stack.urls[0] ?? '', kind), { taskId, events });
    for (const worker of stack.workers) worker.kill('SIGKILL');
    await stack.addWorker();
    await rest;
    await expectPage(taskId, 200, events);
  });
});
