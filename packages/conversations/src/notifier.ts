import type { Channels } from '@switchyard/redis';

/** Notifies one reader of a channel: of its messages, by a timer (a message may be lost), and of the signal's abort. */
export class Notifier implements AsyncDisposable {
  readonly #channels: Channels;
  readonly #channel: string;
  readonly #signal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  #isNotified = false;
  #wake: () => void = () => undefined;

  private constructor(channels: Channels, channel: string, { everyMs, signal }: NotifierOptions) {
    this.#channels = channels;
    this.#channel = channel;
    this.#signal = signal;
    this.#timer = setInterval(this.#notify, everyMs).unref();
    signal?.addEventListener('abort', this.#notify, { once: true });
  }

  /** Resolves once the channel is subscribed. */
  static async subscribe(channels: Channels, channel: string, options: NotifierOptions): Promise<Notifier> {
    const notifier = new Notifier(channels, channel, options);
    try {
      await channels.subscribe(channel, notifier.#notify);
      return notifier;
    } catch (error) {
      await notifier[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Resolves with the next notification, at once if there was one since the last wait. */
  async wait(): Promise<void> {
    if (!this.#isNotified) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#isNotified = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#signal?.removeEventListener('abort', this.#notify);
    this.#channels.unsubscribe(this.#channel, this.#notify);
  }

  readonly #notify = (): void => {
    this.#isNotified = true;
    this.#wake();
  };
}

export interface NotifierOptions {
  readonly everyMs: number;
  readonly signal?: AbortSignal | undefined;
}
