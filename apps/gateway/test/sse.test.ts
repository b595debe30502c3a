import type { ServerResponse } from 'node:http';
import { TaskJson } from '@switchyard/store';
import { describe, expect, it, vi } from 'vitest';
import { errorFrame, eventFrame, FrameBuffer, heartbeatFrame, serveStream } from '../src/bindings/event-stream.ts';
import { drained } from '../src/exchange/exchange.ts';
import type { StreamItem } from '../src/operations/operation.ts';
import { openResponse } from './support/open-response.ts';

describe('a frame', () => {
  it('has the position of its event as id', () => {
    expect(eventFrame({ seq: 7 }, '{"task":{}}')).toBe('id: 7\ndata: {"task":{}}\n\n');
  });

  it('is a single line, however the stored JSON is formatted', () => {
    const json = '{"history":[\n{"text":"two\\nlines"},\n{}]}';
    const [, data = ''] = eventFrame({ seq: 1 }, json).toString().split('\n', 2);
    expect(JSON.parse(data.slice('data: '.length))).toEqual(JSON.parse(json));
  });
});

const format = {
  heartbeatMs: 10_000,
  data: (json: string) => `<${json}>`,
  errorFrame: (thrown: unknown) => errorFrame(JSON.stringify(String(thrown))),
};

async function* items(...given: StreamItem[]): AsyncIterable<StreamItem> {
  yield* given;
}

describe('a stream', () => {
  it('has the format and the headers of its binding', async () => {
    const { res, received } = await openResponse();
    await serveStream(res, { items: items({ seq: 1, json: '1' }) }, format);
    expect(await received()).toMatch(/content-type: text\/event-stream\r\n/i);
    expect(await received()).toContain(eventFrame({ seq: 1 }, '<1>'));
  });

  it('that fails ends with the error, without an id', async () => {
    const { res, received } = await openResponse();
    async function* broken() {
      yield { seq: 1, json: '1' };
      throw new Error('broken');
    }
    await serveStream(res, { items: broken() }, format);
    expect(await received()).toContain(eventFrame({ seq: 1 }, '<1>') + errorFrame('"Error: broken"'));
  });

  it('has comments only during silence', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const { res, source, end } = await openResponse();
      const write = vi.spyOn(res, 'write');
      const written = (): unknown[] => write.mock.calls.map(([text]) => text);
      const served = serveStream(res, { items: source }, { ...format, heartbeatMs: 1_000 });
      await vi.advanceTimersByTimeAsync(999);
      source.push({ seq: 1, json: '1' });
      await new Promise((resolve) => setImmediate(resolve));
      expect(written()).toEqual([eventFrame({ seq: 1 }, '<1>')]);
      await vi.advanceTimersByTimeAsync(999);
      expect(written()).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(1_001);
      expect(written().slice(1)).toEqual([heartbeatFrame, heartbeatFrame]);
      end();
      await served;
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('writes all available events at once', async () => {
    const { res, received } = await openResponse();
    const write = vi.spyOn(res, 'write');
    async function* inTwo() {
      yield* [1, 2, 3].map((one) => ({ seq: one, json: `${one}` }));
      await new Promise((resolve) => setImmediate(resolve));
      yield* [4, 5].map((one) => ({ seq: one, json: `${one}` }));
    }
    await serveStream(res, { items: inTwo() }, format);
    const frames = [1, 2, 3, 4, 5].map((one) => eventFrame({ seq: one }, `<${one}>`));
    expect(write.mock.calls.map(([text]) => text)).toEqual([frames.slice(0, 3).join(''), frames.slice(3).join('')]);
    expect(await received()).toContain(frames[0]);
  });

  it('sends its headers before its first event', async () => {
    const { res, end, source } = await openResponse();
    const served = serveStream(res, { items: source }, format);
    await expect.poll(() => res.headersSent).toBe(true);
    end();
    await served;
  });

  it('takes no more events than a slow reader reads, and sends no comments in the meantime', async () => {
    const { res, received } = await openResponse({ isPaused: true });
    const json = 'x'.repeat(100_000);
    let taken = 0;
    async function* many() {
      for (; taken < 500; taken++) yield { seq: taken, json };
    }
    const served = serveStream(res, { items: many() }, { ...format, heartbeatMs: 5 });
    await expect.poll(() => taken > 0 && res.writableNeedDrain).toBe(true);
    const stalledAt = { taken, length: res.writableLength };
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect({ taken, length: res.writableLength }).toEqual(stalledAt);
    expect(taken).toBeLessThan(100);
    const all = received();
    await served;
    expect((await all).length).toBeGreaterThan(500 * json.length);
  });

  it('stops when its reader disconnects while the stream waits for it', async () => {
    const { res, socket } = await openResponse({ isPaused: true });
    let isOver = false;
    res.once('close', () => {
      isOver = true;
    });
    async function* endless() {
      while (!isOver) yield { seq: 1, json: 'x'.repeat(100_000) };
    }
    const served = serveStream(res, { items: endless() }, format);
    await expect.poll(() => res.writableNeedDrain).toBe(true);
    socket.destroy();
    await served;
  });

  it.each([
    ['ASCII', 'x', 64 * 1024 - 30],
    ['ASCII', 'x', 64 * 1024 + 1],
    ['ASCII', 'x', 100_000],
    ['CJK', '漢', 22 * 1024],
    ['CJK', '漢', 30 * 1024],
    ['CJK', '漢', 65 * 1024],
  ])('continues after a large first frame (%s: %s × %i) once its reader reads', async (_, char, count) => {
    const { res, received, source, end } = await openResponse({ isPaused: true });
    fillSystemBuffers(res);
    const served = serveStream(res, { items: source }, format);
    source.push({ seq: 1, json: char.repeat(count) });
    await expect.poll(() => res.headersSent).toBe(true);
    source.push({ seq: 2, json: '2' });
    await new Promise((resolve) => setImmediate(resolve));
    const all = received();
    source.push({ seq: 3, json: '3' });
    end();
    await served;
    expect(await all).toContain(eventFrame({ seq: 3 }, '<3>'));
  });
});

describe('large frames', () => {
  it.each([65, 66, 70, 80, 100, 130])('of %i KiB are sent completely once their reader reads', async (kibibytes) => {
    const { res, received } = await openResponse({ isPaused: true });
    const buffer = new FrameBuffer(res);
    const pieces = Array.from({ length: kibibytes }, () => Buffer.alloc(1024, 'x'));
    const write = async (): Promise<void> => {
      buffer.add(TaskJson.of(pieces));
      if (res.writableNeedDrain) await drained(res);
    };
    const writes: Promise<void>[] = [];
    while (res.socket?.writableLength === 0) writes.push(write());
    const all = received();
    await Promise.all(writes);
    buffer.add('the end');
    buffer.flush();
    res.end();
    expect(await all).toContain('the end');
  });
});

/** Fills the buffers of the system, so that the client must read before anything more is sent. */
function fillSystemBuffers({ socket }: ServerResponse): void {
  while (socket?.writableLength === 0) socket.write('.'.repeat(8 * 1024));
}
