import { rerunUri, resumableStreamsUri, skillUri } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { card } from './support/agents.ts';
import type { Binding, Invocation } from './support/bindings/outcome.ts';
import { overJsonRpc, overRest } from './support/bindings/over-http.ts';
import { get, submit, userMessage } from './support/client.ts';
import { openStage, type Stage } from './support/stage.ts';
import { closeClients, grpcBindingOf } from './v1_1/clients.ts';

// The fields beyond A2A 1.0, with invalid values: each binding refuses them as the client's fault, and names the field.

let stage: Stage;
let bindings: Readonly<Record<'HTTP+JSON' | 'JSON-RPC' | 'gRPC', Binding>>;
let taskId: string;

beforeAll(async () => {
  const grpc = { port: 0, publicAddress: 'auto' } as const;
  stage = await openStage({ gateway: { grpc, preview: true, defaultAgent: 'shop' } });
  const skills = [{ id: 'print', name: 'print', description: 'Prints', tags: [] }];
  const shop = { id: 'shop', card: { ...card, skills }, repliesWithMessage: false, concurrency: 1 };
  await stage.store.registry.announce([{ ...shop, skillQueues: { print: 1 } }], 'shopkeeper');
  await until(async () => (await get(`${stage.url}/tasks`)).status === 200, { what: 'the gateway knows the agent' });
  bindings = {
    'HTTP+JSON': overRest(stage.url),
    'JSON-RPC': overJsonRpc(stage.url),
    gRPC: await grpcBindingOf(stage.url),
  };
  taskId = (await submit(stage.url)).id;
});

afterAll(async () => {
  closeClients();
  await stage[Symbol.asyncDispose]();
});

type Over = keyof typeof bindings;

interface Row {
  readonly what: string;
  readonly ask: (value: never) => Invocation;
  readonly values: readonly unknown[];
  /** The named field is this one, or inside it. */
  readonly field: string;
  /** Default: all three. */
  readonly over?: readonly Over[];
}

const everywhere: readonly Over[] = ['HTTP+JSON', 'JSON-RPC', 'gRPC'];
const inJson: readonly Over[] = ['HTTP+JSON', 'JSON-RPC'];

const send = (uri: string, value: unknown): Invocation => ({
  operation: 'SendMessage',
  params: {
    message: userMessage('x', { metadata: { [uri]: value } }),
    configuration: { returnImmediately: true },
  },
  headers: { 'a2a-extensions': uri },
});

const noNumbers = ['soon', 1.5, '1.5', true, {}, [], [1], '9'.repeat(30), 1e300];
const noText = [5, true, {}, [], ['1'], null];
const noCursors = [
  'x',
  '-1',
  '1-',
  '1-A',
  '1-abcdefg',
  '1.5',
  '1 2',
  '9'.repeat(16),
  '1'.repeat(5_000),
  '__proto__',
  '%00',
];

const rows: readonly Row[] = [
  {
    what: 'Last-Event-ID',
    ask: (id: string) => ({ operation: 'SubscribeToTask', params: { id: taskId }, headers: { 'last-event-id': id } }),
    values: noCursors,
    field: 'last-event-id',
  },
  {
    what: 'lastEventId in the metadata',
    ask: (lastEventId: unknown) => ({
      operation: 'SubscribeToTask',
      params: { id: taskId, metadata: { [resumableStreamsUri]: { lastEventId } } },
    }),
    values: [...noCursors, ...noText],
    field: `metadata["${resumableStreamsUri}"].lastEventId`,
    over: ['JSON-RPC'],
  },
  ...['SendMessage', 'SendStreamingMessage'].map((operation) => ({
    what: `ifGenerationMatch of ${operation}`,
    ask: (ifGenerationMatch: unknown) => ({
      operation,
      params: { message: userMessage('x', { taskId }), configuration: { ifGenerationMatch } },
      headers: { 'a2a-version': '1.1' },
    }),
    values: noNumbers,
    field: 'configuration.ifGenerationMatch',
    over: inJson,
  })),
  {
    what: 'ifGenerationMatch of CancelTask',
    ask: (ifGenerationMatch: unknown) => ({
      operation: 'CancelTask',
      params: { id: taskId, ifGenerationMatch },
      headers: { 'a2a-version': '1.1' },
    }),
    values: noNumbers,
    field: 'ifGenerationMatch',
    over: inJson,
  },
  {
    what: 'currentGeneration',
    ask: (currentGeneration: unknown) => ({
      operation: 'GetTask',
      params: { id: taskId, currentGeneration },
      headers: { 'a2a-version': '1.1' },
    }),
    values: ['soon', 1.5, '9'.repeat(30)],
    field: 'currentGeneration',
    over: inJson,
  },
  ...[
    send('https://example.com/none', 1),
    { operation: 'CancelTask', params: {} },
    { operation: 'CreateTaskPushNotificationConfig', params: { url: 'https://example.com' } },
    { operation: 'DeleteTaskPushNotificationConfig', params: {} },
  ].map(({ operation, params }) => ({
    what: `the Idempotency-Key of ${operation}`,
    ask: (key: string): Invocation => ({
      operation,
      params: { ...params, ...(operation === 'CancelTask' ? { id: taskId } : { id: 'x', taskId }) },
      headers: { 'idempotency-key': key },
    }),
    values: ['""', 'x'.repeat(256), 'x'.repeat(10_000)],
    field: 'Idempotency-Key',
  })),
  {
    // A gRPC client cannot send such a text.
    what: 'an Idempotency-Key with forbidden characters',
    ask: (key: string) => ({
      operation: 'CancelTask',
      params: { id: taskId },
      headers: { 'idempotency-key': key },
    }),
    values: ['\u00e9', 'a\tb'],
    field: 'Idempotency-Key',
    over: inJson,
  },
  {
    what: 'the skill extension',
    ask: (value: unknown) => send(skillUri, value),
    values: [...noText, 'print', ...[...noText, 'fly', '', '__proto__', 'x'.repeat(5_000)].map((skill) => ({ skill }))],
    field: `message.metadata["${skillUri}"].skill`,
  },
  {
    what: 'the rerun extension',
    ask: (value: unknown) => send(rerunUri, value),
    values: [
      ...[...noText, 'x'],
      ...[...noText, '', 'x'.repeat(5_000), '\u0000'].map((id) => ({ taskId: id })),
      ...[...noText.slice(0, -1), '', 'x'.repeat(5_000)].map((fromStep) => ({ taskId: 'any', fromStep })),
    ],
    field: `message.metadata["${rerunUri}"]`,
  },
];

const trials = rows.flatMap(({ over = everywhere, ...row }) => over.map((name) => ({ name, ...row })));

describe.each(trials)('Over $name $what', ({ name, ask, values, field }) => {
  it.each(values.map((value) => [JSON.stringify(value)?.slice(0, 40), value]))('refuses %s', async (_, value) => {
    const outcome = await bindings[name].invoke(ask(value as never));
    expect(outcome).toMatchObject({ error: { violations: [expect.any(String)] } });
    const named = 'error' in outcome ? (outcome.error.violations[0] ?? '') : '';
    expect(named.toLowerCase().startsWith(field.toLowerCase()) || field.startsWith(named)).toBe(true);
  });
});
