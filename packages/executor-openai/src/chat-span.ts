import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { noteModelCall } from '@switchyard/agent';
import type { SentCompletion } from './read-completion.ts';

const tracer = trace.getTracer('@switchyard/executor-openai');

/** A request to a model: its span, by OpenTelemetry's conventions for generative AI, and what it used. No contents. */
export class ChatSpan implements Disposable {
  readonly #span: Span;
  readonly #model: string;
  readonly #begun = performance.now();
  #error: unknown;
  #last: SentCompletion | undefined;
  #reason: string | undefined;

  constructor(model: string, address: string) {
    this.#model = model;
    this.#span = tracer.startSpan(`chat ${model}`, {
      kind: SpanKind.CLIENT,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': model,
        'server.address': URL.parse(address)?.hostname,
      },
    });
  }

  /** Headers that continue the trace at the model's server. */
  get headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    propagation.inject(trace.setSpan(context.active(), this.#span), headers);
    return headers;
  }

  /** The answer, or a chunk of it. */
  answered(answer: SentCompletion): void {
    this.#reason = answer.choices?.[0]?.finish_reason || this.#reason;
    this.#last = answer.usage || !this.#last ? answer : this.#last;
  }

  /** What the server says that the request has used. */
  get tokens(): { readonly input: number; readonly output: number } | undefined {
    const { prompt_tokens: input, completion_tokens: output = 0 } = this.#last?.usage ?? {};
    return input === undefined ? undefined : { input, output };
  }

  failed(error: unknown): void {
    this.#error = error;
    this.#span.setAttribute('error.type', error instanceof Error ? error.name : 'Error');
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }

  [Symbol.dispose](): void {
    const { id, model, usage } = this.#last ?? {};
    const cachedTokens = usage?.prompt_tokens_details?.cached_tokens ?? usage?.prompt_cache_hit_tokens;
    const reasoningTokens = usage?.completion_tokens_details?.reasoning_tokens;
    this.#span.setAttributes({
      'gen_ai.response.id': id,
      'gen_ai.response.model': model,
      'gen_ai.response.finish_reasons': this.#reason === undefined ? undefined : [this.#reason],
      'gen_ai.usage.input_tokens': usage?.prompt_tokens,
      'gen_ai.usage.output_tokens': usage?.completion_tokens,
      'gen_ai.usage.cache_read.input_tokens': cachedTokens,
      'gen_ai.usage.reasoning.output_tokens': reasoningTokens,
    });
    this.#span.end();
    noteModelCall({
      model: model ?? this.#model,
      durationMs: performance.now() - this.#begun,
      inputTokens: usage?.prompt_tokens,
      outputTokens: usage?.completion_tokens,
      cachedTokens,
      reasoningTokens,
      wasAnswered: this.#last !== undefined,
      finishReason: this.#reason,
      error: this.#error,
    });
  }
}
