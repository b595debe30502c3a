import { AddressPolicy, type GuardedClient, guardedClient, type Resolve } from '@switchyard/outgoing';
import { Deliveries, type PushJob } from '@switchyard/push';
import type { Consumer, JobOutcome, Store } from '@switchyard/store';

import type { Emit } from '../telemetry/events.ts';
import { Circuits } from './circuits.ts';
import { DeliveryClaimer } from './delivery-claimer.ts';
import type { PushSettings } from './push-settings.ts';
import { runDeliveryQueue } from './run-delivery-queue.ts';
import type { Sign } from './sign.ts';

export interface PushDependencies {
  readonly store: Store;
  readonly emit: Emit;
  /** Resolves host names; unset: as this machine does. */
  readonly resolve?: Resolve;
  /** Values that are left out of what is kept of responses. */
  readonly secrets?: readonly string[];
}

/** Share of the slots that one host may take. */
const HOST_SHARE = 1 / 4;
/** Only the status of an answer matters; reading a short body lets the connection be reused. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** The part of a worker that delivers events to webhooks. */
export class PushDeliverer {
  readonly #settings: PushSettings;
  readonly #dependencies: PushDependencies;
  readonly #deliveries: Deliveries;
  readonly #claimer: DeliveryClaimer;
  readonly #consumer: Consumer;
  readonly #circuits: Circuits;
  readonly #client: GuardedClient;
  readonly #shutdown = new AbortController();
  #sign: Sign | undefined;

  /** @throws {RangeError} the policy has an invalid entry */
  constructor(settings: PushSettings, dependencies: PushDependencies) {
    const { concurrency, timeoutMs, claimEveryMs } = settings;
    const { store, emit, resolve } = dependencies;
    const { inside, dueWork } = store;
    this.#deliveries = new Deliveries(inside);
    this.#settings = settings;
    this.#dependencies = dependencies;
    this.#claimer = new DeliveryClaimer({ deliveries: this.#deliveries, dueWork }, claimEveryMs, emit);
    this.#circuits = new Circuits(Math.max(1, Math.floor(concurrency * HOST_SHARE)));
    const policy = new AddressPolicy(settings.policy);
    this.#client = guardedClient({ policy, timeoutMs, maxBytes: MAX_ANSWER_BYTES, ...(resolve && { resolve }) });
    this.#consumer = this.#deliveries.consume({
      concurrency,
      run: (job) => this.#run(job),
      onError: (error) => emit({ kind: 'error', where: 'queue', err: error }),
    });
  }

  /** Call it after the store's start. Rejects if the signing key cannot be used. */
  async start(): Promise<void> {
    const { signingKey } = this.#settings;
    if (signingKey) this.#sign = (await import('./sign.ts')).createSigner(signingKey);
    await this.#consumer.start();
    this.#claimer.start();
  }

  /** Begins no more deliveries, and gives open ones `drainMs` to end; other workers make the rest. */
  async stop(drainMs: number): Promise<void> {
    this.#shutdown.abort();
    await this.#claimer.stop();
    const cut = setTimeout(() => void this.#client.destroy(), drainMs);
    await this.#consumer.stop();
    clearTimeout(cut);
    await this.#client.destroy();
  }

  async #run(job: PushJob): Promise<JobOutcome> {
    const { emit, secrets = [] } = this.#dependencies;
    const dependencies = {
      deliveries: this.#deliveries,
      settings: this.#settings,
      circuits: this.#circuits,
      client: this.#client,
      sign: this.#sign,
      shutdown: this.#shutdown.signal,
      emit,
      secrets,
    };
    try {
      return await runDeliveryQueue(dependencies, job);
    } catch (error) {
      // Redis was unreachable, or the worker has a bug: the queue starts the job again, or the claimer adds it again.
      emit({ kind: 'error', where: 'push delivery', err: error });
      throw error;
    }
  }
}
