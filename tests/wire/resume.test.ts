import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { expectAllEvents, numberedLines } from '../support/all-events.ts';
import { type EventStream, openEventStream } from '../support/event-stream.ts';
import { userMessage } from '../support/messages.ts';
import { getTask, submit } from '../support/rest.ts';
import type { SentEvent } from '../support/sent-events.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { isThorough } from '../support/thorough.ts';

// On a busy machine processes start slowly.
// A stream that is cut and resumed has every event once, in order.

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['echo', 'typist'], gateways: 2, workers: 2 });
});

afterAll(() => stack.stop());

const gateway = (index: number): string => stack.urls[index % stack.urls.length] ?? '';

interface Cursor {
  readonly url: string;
  readonly taskId: string;
  readonly lastEventId: number | string;
  readonly cutAfterBytes: number;
}

const bindings: readonly { binding: string; resume: (cursor: Cursor) => Promise<EventStream> }[] = [
  {
    binding: 'HTTP+JSON',
    resume: ({ url, taskId, ...cursor }) => openEventStream(`${url}/tasks/${taskId}:subscribe`, cursor),
  },
  {
    binding: 'JSON-RPC',
    resume: ({ url, taskId, ...cursor }) =>
      openEventStream(url, {
        ...cursor,
        method: 'POST',
        body: { jsonrpc: '2.0', id: 'again', method: 'SubscribeToTask', params: { id: taskId } },
      }),
  },
];

/**
 * Reads a task's events from the first one on; each cut destroys the socket, and the rest is requested at the other
 * gateway.
 */
async function readWithCuts(
  resume: (cursor: Cursor) => Promise<EventStream>,
  { agent, taskId, cuts }: { agent: string; taskId: string; cuts: readonly number[] },
): Promise<SentEvent[]> {
  const events: SentEvent[] = [];
  for (const [index, cutAfterBytes] of [...cuts, Number.POSITIVE_INFINITY].entries()) {
    const url = `${gateway(index)}/agents/${agent}`;
    const stream = await resume({ url, taskId, lastEventId: events.at(-1)?.eventId ?? 0, cutAfterBytes });
    if (stream.status !== 200) throw new Error(`resumed after ${events.at(-1)?.id}: ${stream.status}`);
    events.push(...(await stream.rest()));
    if (!stream.isCut) return events;
  }
  return events;
}

describe.each(bindings)('a stream over $binding that is cut at random bytes', ({ resume }) => {
  const agent = 'echo';

  it('has every event once and in order when it is resumed at the other gateway', async () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 30_000 }), { minLength: 1, maxLength: 12 });
    const property = fc.asyncProperty(cuts, async (cuts) => {
      const { id: taskId } = await submit(`${gateway(cuts.length)}/agents/echo`, userMessage('stream 500'));
      const events = await readWithCuts(resume, { agent, taskId, cuts });
      const task = await getTask(`${gateway(0)}/agents/echo`, taskId);
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
      expect(task.artifacts?.[0]?.parts).toEqual([{ text: numberedLines('chunk', 500) }]);
      expectAllEvents(events, task);
    });
    await fc.assert(property, { numRuns: isThorough ? 12 : 4, endOnFailure: true });
  });
});

describe.each(bindings)('a stream over $binding of a running task', ({ resume }) => {
  it('has every event once and in order, however often it is cut', async () => {
    const agent = 'typist';
    const { id: taskId } = await submit(`${gateway(0)}/agents/typist`, userMessage('100'));
    const readers = Array.from({ length: 10 }, (_, reader) =>
      readWithCuts(resume, {
        agent,
        taskId,
        cuts: Array.from({ length: 30 }, (_, cut) => 200 + 97 * reader + 31 * cut),
      }),
    );
    const stories = await Promise.all(readers);
    const task = await getTask(`${gateway(1)}/agents/typist`, taskId);
    expect(task.artifacts?.[0]?.parts).toEqual([{ text: numberedLines('line', 100) }]);
    for (const events of stories) expectAllEvents(events, task);
  });
});
