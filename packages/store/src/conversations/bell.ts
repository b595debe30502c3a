import type { Channels } from '../redis/channels.ts';

/** Rings when a channel has news, when the clock says so (a message may be lost), and when a signal aborts. */
export class Bell implements AsyncDisposable {
  readonly #channels: Channels;
  readonly #channel: string;
  readonly #signal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  #hasRung = false;
  #wake: () => void = () => undefined;

  private constructor(channels: Channels, channel: string, { everyMs, signal }: BellOptions) {
    this.#channels = channels;
    this.#channel = channel;
    this.#signal = signal;
    this.#timer = setInterval(this.#ring, everyMs).unref();
    signal?.addEventListener('abort', this.#ring, { once: true });
  }

  /** Resolves when nothing is missed any more. */
  static async hang(channels: Channels, channel: string, options: BellOptions): Promise<Bell> {
    const bell = new Bell(channels, channel, options);
    await channels.subscribe(channel, bell.#ring);
    return bell;
  }

  /** Resolves at once if it has rung since the last time. */
  async heard(): Promise<void> {
    if (!this.#hasRung) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#hasRung = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#signal?.removeEventListener('abort', this.#ring);
    this.#channels.unsubscribe(this.#channel, this.#ring);
  }

  readonly #ring = (): void => {
    this.#hasRung = true;
    this.#wake();
  };
}

export interface BellOptions {
  readonly everyMs: number;
  readonly signal?: AbortSignal | undefined;
}
