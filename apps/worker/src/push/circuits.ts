import { Circuit } from './circuit.ts';
import type { Outcome } from './outcome.ts';

/** Hosts of which something is remembered at most. */
const MAX_HOSTS = 10_000;

/** The circuits of all hosts, shared by all webhooks of a process. */
export class Circuits {
  readonly #maxInFlight: number;
  readonly #circuits = new Map<string, Circuit>();

  /** @param maxInFlight calls to one host at the same time: a slow one must not take all places */
  constructor(maxInFlight: number) {
    this.#maxInFlight = maxInFlight;
  }

  /** Makes the call if its host may be called now. @param host host and port */
  async guard(host: string, call: () => Promise<Outcome>): Promise<Outcome> {
    const circuit = this.#circuits.get(host) ?? this.#remember(host);
    if (circuit.inFlight >= this.#maxInFlight) return { kind: 'busy' };
    const waitMs = circuit.admit(performance.now());
    if (waitMs !== undefined)
      return { kind: 'failed', reason: 'the receiving host is down', retryAfterMs: waitMs, blamesHost: false };
    const outcome = await call();
    circuit.report(outcome.kind === 'failed' && outcome.blamesHost, performance.now());
    if (circuit.isFresh) this.#circuits.delete(host);
    return outcome;
  }

  #remember(host: string): Circuit {
    const [oldest] = this.#circuits.keys();
    if (this.#circuits.size >= MAX_HOSTS && oldest !== undefined) this.#circuits.delete(oldest);
    const circuit = new Circuit();
    this.#circuits.set(host, circuit);
    return circuit;
  }
}
