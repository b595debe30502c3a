import { trace as api, context, propagation } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ReceivedSpan, startCollector, type TestCollector } from '../../../tests/support/collector.ts';
import {
  activeTraceContext,
  recordRemembered,
  startTraces,
  type Traces,
  traceCall,
  traceContextIn,
  traceDelivery,
  traceOperation,
  traceSend,
  traceStep,
  traceTurn,
} from '../src/index.ts';

const trace = '0af7651916cd43dd8448eb211c80319c';
const sampled = `00-${trace}-b7ad6b7169203331-01`;
const unsampled = `00-${trace}-b7ad6b7169203331-00`;
const call = { scope: { agent: 'pizza', principal: { tenant: 'acme' } }, signal: new AbortController().signal };
const accepted = { verdict: 'accepted', taskId: 'task-1', contextId: 'context-1' } as const;
const message = {
  agent: { id: 'pizza', name: 'Pizza desk' },
  tenant: 'acme',
  taskId: 'task-1',
  contextId: 'context-1',
  messageId: 'message-1',
};
const attempt = { epoch: 1, attempt: 1 };

const agentTracer = api.getTracer('an agent');

let collector: TestCollector;
let errors: Error[];
beforeEach(async () => {
  collector = await startCollector();
  errors = [];
});
afterEach(() => collector.close());

const start = (share: number, url = collector.url): Promise<Traces> =>
  startTraces({ collector: { url, share } }, { service: 'switchyard-test', onError: (error) => errors.push(error) });
const named = (name: string): ReceivedSpan[] => collector.spans.filter((span) => span.name === name);

/** Sends a message, and returns the trace context that is stored with it. */
async function send(traceParent?: string, isStream = false, traceState?: string) {
  const traceContext = traceContextIn(traceParent, traceState);
  const sent = { agent: 'pizza', messageId: 'message-1', traceContext, isAwaited: isStream };
  let stored: unknown;
  const operation = { method: 'SendMessage', isStream, call: { ...call, traceContext } };
  await traceOperation(operation, () =>
    traceSend(sent, async (given) => {
      stored = given;
      return accepted;
    }),
  );
  return stored as { parent: string; state?: string } | undefined;
}

describe('without a collector', () => {
  const off = () => startTraces({ collector: undefined }, { service: 'switchyard-test', onError: () => undefined });

  it('a message is stored with the trace context of its sender, or without one', async () => {
    await off();
    expect(await send()).toBeUndefined();
    expect(await send(sampled)).toEqual({ parent: sampled });
    expect(await send(sampled, true)).toEqual({ parent: sampled, isAwaited: true });
  });

  it('the trace context of a message is passed on to its turn, steps, calls and deliveries', async () => {
    await off();
    const turn = traceTurn({ ...message, trace: { parent: sampled } }, attempt, []);
    await turn.runAttempt(() =>
      turn.runAgent(async () => {
        expect(await traceStep({ name: 'first', attempt: 1 }, async () => activeTraceContext())).toEqual({
          parent: sampled,
        });
        const placed = { agent: 'oven', messageId: 'message-2', isAwaited: true };
        await traceCall(placed, async (given) => {
          expect(given).toEqual({ parent: sampled, isAwaited: true });
          return accepted;
        });
      }),
    );
    const delivery = { origin: 'https://example.com', taskId: 'task-1', traceContext: { parent: sampled } };
    await traceDelivery(delivery, async (given) => {
      expect(given).toEqual({ parent: sampled });
      return { kind: 'delivered' };
    });
    expect(activeTraceContext()).toBeUndefined();
  });
});

describe('a trace share', () => {
  it('of 0 records no trace that begins here, and no span of it in other processes', async () => {
    const unrecorded = await start(0);
    const stored = await send();
    expect(stored).toEqual({});
    await unrecorded.stop();
    const traces = await start(1);
    const turn = traceTurn({ ...message, trace: stored }, attempt, []);
    await turn.runAttempt(() =>
      turn.runAgent(async () => {
        await traceStep({ name: 'work', attempt: 1 }, async () => expect(activeTraceContext()).toBeUndefined());
        await traceCall({ agent: 'oven', messageId: 'message-2', isAwaited: true }, async (given) => {
          expect(given).toEqual({});
          return accepted;
        });
        agentTracer.startSpan('of the agent itself').end();
      }),
    );
    turn.end({ result: 'settled' });
    await traces.stop();
    expect(collector.spans).toEqual([]);
  });

  it("does not apply to a caller's trace: it and its turn are recorded if the caller samples it", async () => {
    const traces = await start(0);
    await send(unsampled);
    const turn = traceTurn({ ...message, trace: await send(sampled) }, attempt, []);
    turn.end({ result: 'settled', state: 'TASK_STATE_COMPLETED' });
    await traces.stop();
    expect(collector.spans.map(({ name }) => name).toSorted()).toEqual(
      ['SendMessage', 'invoke_agent Pizza desk', 'process pizza', 'send pizza'].toSorted(),
    );
    expect(named('process pizza')[0]?.traceId).not.toBe(trace);
  });

  it('of 1 records a turn whose message has no trace', async () => {
    const traces = await start(1);
    traceTurn({ ...message, trace: undefined }, attempt, []).end({ result: 'failed', error: new TypeError('secret') });
    await traces.stop();
    const [span] = named('invoke_agent Pizza desk');
    expect(span).toMatchObject({
      isError: true,
      attributes: { 'error.type': 'TypeError', 'switchyard.tenant': 'acme' },
    });
    expect(JSON.stringify(collector.spans)).not.toContain('secret');
  });
});

describe('attempts', () => {
  it('have what they used of models, and what it cost', async () => {
    const traces = await start(1);
    const used = { inputTokens: 30, outputTokens: 5, microUsd: 1_200 };
    traceTurn({ ...message, trace: undefined }, attempt, []).end({ result: 'settled', used });
    await traces.stop();
    for (const name of ['process pizza', 'invoke_agent Pizza desk'])
      expect(named(name)[0]?.attributes).toMatchObject({
        'gen_ai.usage.input_tokens': 30,
        'gen_ai.usage.output_tokens': 5,
        'switchyard.micro_usd': 1_200,
      });
  });

  it('at one message have one trace; a step that a crashed attempt began is recorded by the next', async () => {
    const traces = await start(1);
    const lost = { ...attempt, begunAt: new Date(), worker: 'dead' };
    const first = traceTurn({ ...message, trace: undefined }, attempt, []);
    // The step never ends, as in a crashed attempt.
    let child = '';
    void first.runAgent(() =>
      traceStep({ name: 'work', attempt: 1 }, () => {
        child = activeTraceContext()?.parent ?? '';
        return new Promise(() => undefined);
      }),
    );
    const second = traceTurn({ ...message, trace: undefined }, { epoch: 2, attempt: 2 }, [lost]);
    await second.runAgent(async () => {
      recordRemembered('call', 'message-2');
      await traceStep({ name: 'work', attempt: 1 }, async () => expect(activeTraceContext()?.parent).toBe(child));
    });
    second.end({ result: 'settled' });
    await traces.stop();
    expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(named('process pizza').map(({ attributes }) => attributes['switchyard.worker'])).toEqual([
      'dead',
      undefined,
    ]);
    expect(named('step work').map(({ spanId }) => spanId)).toEqual([child.split('-')[2]]);
    expect(named('call')).toHaveLength(1);
  });

  it('that ended with a retry have separate spans for the same step', async () => {
    const traces = await start(1);
    for (const epoch of [1, 2]) {
      const turn = traceTurn({ ...message, trace: undefined }, { epoch, attempt: epoch }, []);
      await turn.runAgent(() =>
        traceStep({ name: 'work', attempt: 1 }, async () => recordRemembered('step', 'before')),
      );
      turn.end({ result: 'retry' });
    }
    await traces.stop();
    expect(new Set(named('step work').map(({ spanId }) => spanId)).size).toBe(2);
    expect(named('step before')).toEqual([]);
  });
});

describe('a stream', () => {
  it('has a span that ends when the stream ends', async () => {
    const traces = await start(1);
    const stream = new AbortController();
    const operation = { method: 'SendStreamingMessage', isStream: true, call: { ...call, signal: stream.signal } };
    await traceOperation(operation, async () => 'open');
    await traceOperation({ ...operation, method: 'GetTask', isStream: false }, async () => 'answered');
    stream.abort();
    await traces.stop();
    expect(collector.spans.map(({ name }) => name)).toEqual(['GetTask', 'SendStreamingMessage']);
  });
});

describe('an unreachable collector', () => {
  it('is reported as an error, and blocks nothing', async () => {
    await collector.close();
    const traces = await start(1);
    await send();
    await traces.stop();
    expect(errors.length).toBeGreaterThan(0);
  });
});

describe('a traceparent', () => {
  it.each([
    ['of zeros', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`],
    ['of version ff', `ff-${trace}-b7ad6b7169203331-01`],
    ['in capitals', sampled.toUpperCase()],
    ['with a suffix', `${sampled}-1`],
  ])('%s is ignored', (_, value) => {
    expect(traceContextIn(value)).toBeUndefined();
    expect(traceContextIn(sampled)).toEqual({ parent: sampled });
  });
});

describe('a tracestate', () => {
  const members = (count: number): string => Array.from({ length: count }, (_, i) => `v${i}=x`).join(',');

  it.each([
    ['of valid members is kept', 'vendor=a,other@tenant=b c', 'vendor=a,other@tenant=b c'],
    ['is kept without its invalid members', 'vendor=a,,=b,Big=c,none', 'vendor=a'],
    ['of 32 members is kept', members(32), members(32)],
    ['of 33 members is dropped', members(33), undefined],
    ['of more than 512 characters is dropped', `vendor=${'x'.repeat(506)}`, undefined],
    ['without a valid member is dropped', 'none', undefined],
  ])('%s', (_, given, state) => {
    expect(traceContextIn(sampled, given)?.state).toBe(state);
    expect(traceContextIn(undefined, given)).toBeUndefined();
  });

  it('is stored with a message, and passed on to calls of its turn and to webhooks, recorded or not', async () => {
    const state = 'vendor=a';
    for (const collected of [false, true]) {
      const settings = collected ? { url: collector.url, share: 1 } : undefined;
      const traces = await startTraces(
        { collector: settings, queue: 'parent' },
        { service: 'switchyard-test', onError: (error) => errors.push(error) },
      );
      const stored = await send(sampled, true, state);
      expect(stored?.state).toBe(state);
      const turn = traceTurn({ ...message, trace: stored }, attempt, []);
      await turn.runAttempt(() =>
        turn.runAgent(async () => {
          const outgoing: Record<string, string> = {};
          propagation.inject(context.active(), outgoing);
          expect(outgoing).toMatchObject({ traceparent: expect.stringContaining(trace), tracestate: state });
          await traceCall({ agent: 'oven', messageId: 'message-2', isAwaited: true }, async (given) => {
            expect(given?.state).toBe(state);
            return accepted;
          });
        }),
      );
      turn.end({ result: 'settled' });
      const traceContext = { parent: sampled, state };
      await traceDelivery({ origin: 'https://example.com', taskId: 'task-1', traceContext }, async (given) => {
        expect(given?.state).toBe(state);
        return { kind: 'delivered' };
      });
      await traces.stop();
    }
    expect(errors).toEqual([]);
  });
});
