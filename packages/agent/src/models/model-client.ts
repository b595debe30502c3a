import type { ModelProblem } from './model-error.ts';
import type { PacedRequest } from './model-pace.ts';
import type { OpenCall, RequestSpan } from './open-call.ts';

/** A model, as its SDK is asked: once, without retries of the SDK's own. */
export interface ModelClient<Request extends ModelRequest, Answer> {
  /** The model's name at its provider. */
  readonly model: string;
  /** By OpenTelemetry's conventions for generative AI: `openai`, `anthropic`. */
  readonly provider: string;
  /** The provider's server, such as `api.openai.com`. Pace is kept for each server, model and key. */
  readonly host: string;
  /** Used as a hash, and to leave the key out of errors. */
  readonly apiKey?: string | undefined;
  /** Longest time without data, in milliseconds. Default: 120,000. */
  readonly timeoutMs?: number | undefined;
  /** Opens a span of OpenTelemetry: this package does not depend on it. */
  readonly openSpan: (name: string, attributes: RequestSpan['attributes']) => RequestSpan;
  /** Sends the request once. Yields pieces of text; returns what makes the answer, or throws if it is not whole. */
  readonly send: (request: Request, call: OpenCall) => AsyncGenerator<string, { build(): Answer }, undefined>;
  /** What an error of the SDK says; undefined: it does not come from the model's server. */
  readonly problemOf: (error: unknown) => ModelProblem | undefined;
}

/** A request to a model. */
export interface ModelRequest extends PacedRequest {
  readonly signal: AbortSignal;
}
