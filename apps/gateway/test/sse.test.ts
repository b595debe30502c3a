import { describe, expect, it, vi } from 'vitest';
import { errorFrame, eventFrame, heartbeatFrame } from '../src/sse/frame.ts';
import { toFrames } from '../src/sse/to-frames.ts';
import { withHeartbeat } from '../src/sse/with-heartbeat.ts';
import { writeFrames } from '../src/sse/write-frames.ts';
import { openResponse } from './support/open-response.ts';
import { Source } from './support/source.ts';

describe('a frame', () => {
  it('has the position of its event as id', () => {
    expect(eventFrame(7, '{"task":{}}')).toBe('id: 7\ndata: {"task":{}}\n\n');
  });

  it('is one line, however the stored JSON is laid out', () => {
    const json = '{"history":[\n{"text":"two\\nlines"},\n{}]}';
    const [, data = ''] = eventFrame(1, json).split('\n', 2);
    expect(JSON.parse(data.slice('data: '.length))).toEqual(JSON.parse(json));
  });
});

describe('toFrames', () => {
  it('ends a stream that breaks with the error, without an id', async () => {
    async function* items() {
      yield { seq: 1, json: '1' };
      throw new Error('broken');
    }
    const format = { data: (json: string) => `<${json}>`, error: (thrown: unknown) => JSON.stringify(String(thrown)) };
    expect(await Array.fromAsync(toFrames(items(), format))).toEqual([
      eventFrame(1, '<1>'),
      errorFrame('"Error: broken"'),
    ]);
  });
});

describe('withHeartbeat', () => {
  it('comments in silence only, and loses no frame that comes meanwhile', async () => {
    vi.useFakeTimers();
    try {
      const source = new Source<string>();
      const frames = withHeartbeat(source, 1_000)[Symbol.asyncIterator]();
      const first = frames.next();
      await vi.advanceTimersByTimeAsync(999);
      source.push('a');
      expect(await first).toEqual({ done: false, value: 'a' });
      const second = frames.next();
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await second).toEqual({ done: false, value: heartbeatFrame });
      // It comes while the reader is busy with the heartbeat.
      source.push('b');
      await vi.advanceTimersByTimeAsync(0);
      expect(await frames.next()).toEqual({ done: false, value: 'b' });
      source.end();
      expect(await frames.next()).toEqual({ done: true, value: undefined });
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('hands an error on', async () => {
    const source = new Source<string>();
    const next = withHeartbeat(source, 1_000)[Symbol.asyncIterator]().next();
    source.fail(new Error('broken'));
    await expect(next).rejects.toThrow('broken');
  });
});

describe('writeFrames', () => {
  it('writes what is there at once in one write', async () => {
    const { res, received } = await openResponse();
    const write = vi.spyOn(res, 'write');
    async function* frames() {
      yield* ['a', 'b', 'c'];
      await new Promise((resolve) => setImmediate(resolve));
      yield* ['d', 'e'];
    }
    await writeFrames(res, frames());
    expect(write.mock.calls.map(([text]) => text)).toEqual(['abc', 'de']);
    expect(await received()).toContain('abc');
  });

  it('sends the headers of a stream on which nothing happens yet', async () => {
    const { res, source, end } = await openResponse();
    const written = writeFrames(res, source);
    await vi.waitFor(() => expect(res.headersSent).toBe(true));
    end();
    await written;
  });

  it('takes no more from its source than a slow reader reads', async () => {
    const { res, received } = await openResponse({ isPaused: true });
    const frame = 'x'.repeat(100_000);
    let taken = 0;
    async function* frames() {
      for (; taken < 500; taken++) yield frame;
    }
    const written = writeFrames(res, frames());
    await vi.waitFor(() => expect(res.writableNeedDrain).toBe(true));
    const stalledAt = taken;
    expect(stalledAt).toBeLessThan(100);
    const all = received();
    await written;
    expect((await all).length).toBeGreaterThan(500 * frame.length);
  });

  it('stops when its reader goes while it waits for it to read', async () => {
    const { res, socket } = await openResponse({ isPaused: true });
    let isOver = false;
    res.once('close', () => {
      isOver = true;
    });
    async function* frames() {
      while (!isOver) yield 'x'.repeat(100_000);
    }
    const written = writeFrames(res, frames());
    await vi.waitFor(() => expect(res.writableNeedDrain).toBe(true));
    socket.destroy();
    await written;
  });
});
