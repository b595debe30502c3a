import { resumableStreamsUri } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { openEventStream } from '../../../tests/support/event-stream.ts';
import { type Binding, type Invocation, toOutcomeError } from './support/bindings/outcome.ts';
import { overJsonRpc, overRest } from './support/bindings/over-http.ts';
import { twoGateways } from './support/bindings/two-gateways.ts';
import { submit } from './support/client.ts';
import { chunk, completed, working } from './support/events.ts';

// The extension of docs/extensions/resumable-streams.md: the same events after the same id, over every binding.

const active = { 'a2a-extensions': resumableStreamsUri };

const gateways = twoGateways();

/** How a client of this binding sends the id of its last event. */
interface Dialect {
  readonly name: string;
  readonly at: (gateway: number) => Binding;
  readonly subscribe: (id: string, lastEventId?: string) => Invocation;
  /** The name of a wrong id in the error. */
  readonly field: string;
}

const byHeader = (id: string, lastEventId?: string): Invocation => ({
  operation: 'SubscribeToTask',
  params: { id },
  headers: { ...active, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
});

const byParameter =
  (operation: string) =>
  (id: string, lastEventId?: string): Invocation => ({
    operation,
    params: { id, ...(lastEventId !== undefined && { metadata: { [resumableStreamsUri]: { lastEventId } } }) },
    headers: active,
  });

/** A refused stream has a single event, the error. */
const overLegacyJsonRpc = (url: string): Binding => ({
  name: 'JSON-RPC of 0.3',
  async invoke({ operation: method, params, headers = {}, mostEvents }) {
    const body = { jsonrpc: '2.0', id: 1, method, params };
    const stream = await openEventStream(url, { method: 'POST', body, headers });
    const results: unknown[] = [];
    for await (const { text } of stream) {
      const { result, error } = JSON.parse(text);
      if (error) return { error: toOutcomeError(error.message, error.data) };
      results.push(result);
      if (results.length === mostEvents) stream.cut();
    }
    return { result: results };
  },
});

const { urlOf } = gateways;
const parameter = `metadata["${resumableStreamsUri}"].lastEventId`;
const dialects: readonly Dialect[] = [
  { name: 'REST', at: (n) => overRest(urlOf(n)), subscribe: byHeader, field: 'Last-Event-ID' },
  { name: 'JSON-RPC', at: (n) => overJsonRpc(urlOf(n)), subscribe: byHeader, field: 'Last-Event-ID' },
  {
    name: 'JSON-RPC, by a parameter',
    at: (n) => overJsonRpc(urlOf(n)),
    subscribe: byParameter('SubscribeToTask'),
    field: parameter,
  },
  {
    name: 'JSON-RPC of 0.3',
    at: (n) => overLegacyJsonRpc(urlOf(n)),
    subscribe: byParameter('tasks/resubscribe'),
    field: parameter,
  },
  { name: 'gRPC', at: (n) => gateways.bindings[2]?.at(n) as Binding, subscribe: byHeader, field: 'last-event-id' },
];

async function eventsOf(binding: Binding, invocation: Invocation): Promise<Record<string, unknown>[]> {
  const outcome = await binding.invoke(invocation);
  if ('error' in outcome) throw new Error(outcome.error.message, { cause: outcome.error });
  return outcome.result as Record<string, unknown>[];
}

interface Event {
  readonly metadata?: Readonly<Record<string, { readonly eventId: string }>>;
}

/** The event id; in 1.0, an event's contents are under the name of its kind, in 0.3 they are not. */
function idOf(event: Record<string, unknown> | undefined): string {
  const named = (event?.statusUpdate ?? event?.artifactUpdate ?? event?.task ?? event) as Event | undefined;
  return named?.metadata?.[resumableStreamsUri]?.eventId ?? '';
}

async function play(taskId: string): Promise<void> {
  const turn = await gateways.stage.beginTurn(taskId);
  await turn.publish(working('on it'));
  await turn.publish(chunk('one ', { append: false }));
  for (const text of ['two ', 'three ', 'four ']) await turn.publish(chunk(text));
  await turn.publish(completed());
}

describe.each(dialects)('A stream over $name', ({ at, subscribe, field }) => {
  it('resumes after any of its events at the other gateway, without a repetition', async () => {
    const { id } = await submit(gateways.stage.url);
    const [snapshot] = await eventsOf(at(0), { ...subscribe(id), mostEvents: 1 });
    expect(idOf(snapshot)).toMatch(/^1(-[0-9a-z]+)?$/);
    await play(id);
    const whole = await eventsOf(at(1), subscribe(id, idOf(snapshot)));
    expect(whole.length).toBeGreaterThanOrEqual(6);
    expect(new Set(whole.map(idOf)).size).toBe(whole.length);
    for (const [n, event] of whole.slice(0, -1).entries())
      expect(await eventsOf(at(n % 2), subscribe(id, idOf(event)))).toEqual(whole.slice(n + 1));
    // The client has all events.
    const over = await at(0).invoke(subscribe(id, idOf(whole.at(-1))));
    expect(over).toMatchObject({ error: { reason: 'UNSUPPORTED_OPERATION' } });
  });

  it('starts with the task after a fail-over that lost events of the client', async () => {
    const { id } = await submit(gateways.stage.url);
    await play(id);
    const [first] = await eventsOf(at(1), subscribe(id, '4-zzz'));
    expect(first?.task ?? first).toMatchObject({ id });
    expect(idOf(first)).toMatch(/^\d+(-[0-9a-z]+)?$/);
  });

  it('refuses an invalid event id, and names its field', async () => {
    const { id } = await submit(gateways.stage.url);
    const outcome = await at(0).invoke(subscribe(id, 'the last one'));
    expect(outcome).toMatchObject({ error: { violations: [field] } });
  });
});

it('has no event ids in the metadata unless the extension is requested', async () => {
  const { id } = await submit(gateways.stage.url);
  for (const { at, subscribe } of dialects) {
    const { headers: _, ...plain } = subscribe(id);
    expect(JSON.stringify(await eventsOf(at(0), { ...plain, mostEvents: 1 }))).not.toContain(resumableStreamsUri);
  }
});
