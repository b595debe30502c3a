import type { ServerResponse } from 'node:http';

/** Largest buffer that is held back for one write, in UTF-16 units. */
const largestBuffer = 64 * 1024;

/** The frames of one turn of the event loop. */
export class FrameBuffer {
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
    if (this.#text.length > largestBuffer) this.flush();
    else this.#schedule();
  }

  /** For what says only that the connection is alive: one that has not taken all of the last buffer will see. */
  addUnlessBusy(frame: string): void {
    if (!this.#res.writableNeedDrain) this.add(frame);
  }

  flush(): void {
    const text = this.#text;
    this.#text = '';
    if (this.#res.destroyed) return;
    if (!this.#res.headersSent) this.#writeFirst(text);
    else if (text !== '') this.#res.write(text);
  }

  /**
   * Node keeps the headers for as long as the response is open: as one text if they are written alone, otherwise as the
   * 32 that they were made of.
   */
  #writeFirst(text: string): void {
    this.#res.cork();
    this.#res.flushHeaders();
    if (text !== '') this.#res.write(text);
    this.#res.uncork();
  }

  /** Runs when all promises that can go on have: whatever is there by then is one buffer. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    process.nextTick(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }
}
