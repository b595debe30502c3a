import type { ServerResponse } from 'node:http';
import type { Json } from '@switchyard/store';

/** Largest buffer for one write, in UTF-16 units. */
const largestBuffer = 64 * 1024;

/** The frames of one turn of the event loop. */
export class FrameBuffer {
  readonly #res: ServerResponse;
  #text = '';
  #isScheduled = false;

  constructor(res: ServerResponse) {
    this.#res = res;
    // Sends the headers, even if there is no event for a while.
    this.#schedule();
  }

  add(frame: Json): void {
    if (typeof frame !== 'string') return void this.#addPieces(frame.pieces);
    this.#text += frame;
    if (this.#text.length > largestBuffer) this.flush();
    else this.#schedule();
  }

  /** For heartbeats: a client that has not read the last buffer needs none. */
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

  /** Writes them as they are: other readers share them. */
  #addPieces(pieces: readonly Buffer[]): void {
    this.flush();
    for (const piece of pieces) if (!this.#res.destroyed) this.#res.write(piece);
  }

  /**
   * Node keeps the headers while the response is open: as one text if they are written alone, otherwise as 32. The
   * response is not corked: it would then wait for a 'drain' that does not come if its socket keeps less than 64 KiB.
   */
  #writeFirst(text: string): void {
    const { socket } = this.#res;
    socket?.cork();
    this.#res.flushHeaders();
    if (text !== '') this.#res.write(text);
    socket?.uncork();
  }

  /** Writes after all settled promises have run: their frames are one buffer. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    process.nextTick(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }
}
