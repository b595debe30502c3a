import type { ErrorDetail } from '../client.ts';

/** The outcome of a request over any binding: the answer as ProtoJSON, or the error. */
export type Outcome = { readonly result: unknown } | { readonly error: OutcomeError };

export interface OutcomeError {
  readonly message: string;
  readonly reason: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  /** Names of the wrong fields. */
  readonly violations: readonly string[];
}

export interface Invocation {
  readonly operation: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** For a stream: reads at most this many events. */
  readonly mostEvents?: number;
}

export interface Binding {
  readonly name: string;
  /** The result of a stream is the list of its events. */
  invoke(invocation: Invocation): Promise<Outcome>;
}

export function toOutcomeError(message: string, details: readonly ErrorDetail[] = []): OutcomeError {
  const reason = details.find((detail) => detail.reason !== undefined);
  return {
    message,
    reason: reason?.reason,
    metadata: reason?.metadata ?? {},
    violations: details.flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field)),
  };
}
