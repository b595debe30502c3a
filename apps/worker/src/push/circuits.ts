import type { Outcome } from './outcome.ts';

const FAILURES_TO_OPEN = 5;
const FIRST_OPEN_MS = 1_000;
const LONGEST_OPEN_MS = 60_000;

/**
 * The circuit breaker of one receiving host, in this process. Opens after several failures in a row, so that a host
 * that is down is not called by every webhook that points at it; later, one call at a time tests whether it is back.
 */
export class Circuit {
  #failures = 0;
  #openings = 0;
  #openUntil = 0;
  #inFlight = 0;

  /** @returns undefined: make the call, then `report` its result; otherwise milliseconds until the next try */
  admit(now: number): number | undefined {
    if (now < this.#openUntil) return this.#openUntil - now;
    if (this.#openings > 0 && this.#inFlight > 0) return FIRST_OPEN_MS;
    this.#inFlight++;
    return undefined;
  }

  /** @param isFault the host failed, and not the request */
  report(isFault: boolean, now: number): void {
    this.#inFlight--;
    if (!isFault) {
      this.#failures = this.#openings = 0;
      return;
    }
    this.#failures++;
    const isEnough = this.#openings > 0 || this.#failures >= FAILURES_TO_OPEN;
    // Calls that began before the circuit opened do not count again.
    if (!isEnough || now < this.#openUntil) return;
    this.#openUntil = now + Math.min(FIRST_OPEN_MS * 2 ** this.#openings, LONGEST_OPEN_MS);
    this.#openings++;
  }

  /** Open calls. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** There is no state to keep. */
  get isFresh(): boolean {
    return this.#inFlight === 0 && this.#failures === 0;
  }
}

/** Number of hosts whose circuit is kept at most. */
const MAX_HOSTS = 10_000;

/** The circuits of all hosts, shared by all webhooks of a process. */
export class Circuits {
  readonly #maxInFlight: number;
  readonly #circuits = new Map<string, Circuit>();

  /** @param maxInFlight calls to one host at the same time: a slow host must not take all slots */
  constructor(maxInFlight: number) {
    this.#maxInFlight = maxInFlight;
  }

  /** Makes the call if its host may be called now. @param host host and port */
  async guard(host: string, call: () => Promise<Outcome>): Promise<Outcome> {
    const circuit = this.#circuits.get(host) ?? this.#remember(host);
    if (circuit.inFlight >= this.#maxInFlight) return { kind: 'busy' };
    const waitMs = circuit.admit(performance.now());
    if (waitMs !== undefined)
      return { kind: 'failed', reason: 'the receiving host is down', retryAfterMs: waitMs, isHostFault: false };
    const outcome = await call();
    circuit.report(outcome.kind === 'failed' && outcome.isHostFault, performance.now());
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
