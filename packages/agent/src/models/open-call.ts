import { noteModelCall } from '../journal/note-model-call.ts';
import type { Usage } from '../port/model-call.ts';
import type { IdleTimeout } from '../timeouts/timeouts.ts';

/** A span of a request, for example OpenTelemetry's. */
export interface RequestSpan {
  readonly attributes: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  /** Headers that continue the trace at the server. */
  readonly headers: Readonly<Record<string, string>>;
  /** @param attributes those of the end */
  end(attributes: RequestSpan['attributes'], error?: unknown): void;
}

/** What a server says with an answer, or with a piece of it. */
export interface SaidOfAnswer extends Omit<Usage, 'model'> {
  readonly model?: string | undefined;
  readonly id?: string | undefined;
  readonly finishReason?: string | undefined;
}

interface Opened {
  readonly model: string;
  readonly span: RequestSpan;
  readonly idle: IdleTimeout;
  /** Called with the headers of the response. */
  readonly onHeaders: (headers: Headers) => void;
}

/**
 * A request to a model that is open: its span, by OpenTelemetry's conventions, and what it has used. No contents.
 *
 *     const response = await fetch('https://api.example/large', { headers: call.headers, signal: call.signal });
 *     call.answered(response.headers);
 *     for await (const _event of response.body ?? []) call.received({ model: 'large', inputTokens: 12 });
 */
export class OpenCall implements Disposable {
  readonly #opened: Opened;
  readonly #begun = performance.now();
  #said: SaidOfAnswer | undefined;
  #hasBegun = false;
  #error: unknown;

  constructor(opened: Opened) {
    this.#opened = opened;
  }

  /** Aborted with the turn, or when no data has come for too long. */
  get signal(): AbortSignal {
    return this.#opened.idle.signal;
  }

  /** To be sent: they continue the trace at the model's server. */
  get headers(): Readonly<Record<string, string>> {
    return this.#opened.span.headers;
  }

  /** The server has sent something of its answer. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** The server has answered: if its headers say that nothing is left of its limits, everybody waits. */
  answered(headers: Headers): void {
    this.#opened.onHeaders(headers);
  }

  /**
   * Data has come.
   * @param said what is undefined does not replace what was said before; without it, nothing of an answer has come yet
   */
  received(said?: SaidOfAnswer): void {
    this.#hasBegun = true;
    this.#opened.idle.restart();
    if (!said) return;
    const known = Object.entries(said).filter(([, value]) => value !== undefined);
    this.#said = { ...this.#said, ...Object.fromEntries(known) };
  }

  /** What the server says that the request has used. */
  get tokens(): { readonly input: number; readonly output: number } | undefined {
    const { inputTokens: input, outputTokens: output = 0 } = this.#said ?? {};
    return input === undefined ? undefined : { input, output };
  }

  failed(error: unknown): void {
    this.#error = error;
  }

  [Symbol.dispose](): void {
    const { id, finishReason, ...usage } = this.#said ?? {};
    const attributes = {
      'gen_ai.response.id': id,
      'gen_ai.response.model': usage.model,
      'gen_ai.response.finish_reasons': finishReason === undefined ? undefined : [finishReason],
      'gen_ai.usage.input_tokens': usage.inputTokens,
      'gen_ai.usage.output_tokens': usage.outputTokens,
      'gen_ai.usage.cache_read.input_tokens': usage.cachedTokens,
      'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens,
    };
    this.#opened.span.end(attributes, this.#error);
    noteModelCall({
      ...usage,
      model: usage.model ?? this.#opened.model,
      durationMs: performance.now() - this.#begun,
      wasAnswered: this.#said !== undefined,
      finishReason,
      error: this.#error,
    });
  }
}
