import type { ServerResponse } from 'node:http';

/** Largest burst that is held back for one write, in UTF-16 units. */
const largestBurst = 64 * 1024;

const eventStreamHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  // nginx would hold events back until its buffer is full.
  'X-Accel-Buffering': 'no',
} as const;

/**
 * Writes a stream of frames to its end. Frames that are there at once leave in one write; a reader that is slower than
 * its frames stops their source. Ends with the frames, whether they end by themselves or because the client is gone.
 */
export async function writeFrames(res: ServerResponse, frames: AsyncIterable<string>): Promise<void> {
  for (const [name, value] of Object.entries(eventStreamHeaders)) res.setHeader(name, value);
  const burst = new Burst(res);
  try {
    for await (const frame of frames) {
      burst.add(frame);
      if (res.writableNeedDrain) await drained(res);
    }
  } finally {
    burst.flush();
    res.end();
  }
}

/** The frames of one turn of the event loop. */
class Burst {
  readonly #res: ServerResponse;
  #text = '';
  #isScheduled = false;

  constructor(res: ServerResponse) {
    this.#res = res;
    // The client learns that the stream is open, also if nothing happens on it for a while.
    this.#schedule();
  }

  add(frame: string): void {
    this.#text += frame;
    if (this.#text.length > largestBurst) this.flush();
    else this.#schedule();
  }

  flush(): void {
    if (this.#res.destroyed) return;
    if (this.#text !== '') this.#res.write(this.#text);
    else if (!this.#res.headersSent) this.#res.flushHeaders();
    this.#text = '';
  }

  /** Runs when all promises that can go on have: whatever is there by then is one burst. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    process.nextTick(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }
}

/** Resolves when the client has read enough, or is gone. */
export function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      res.off('drain', done).off('close', done);
      resolve();
    };
    res.on('drain', done).on('close', done);
  });
}
