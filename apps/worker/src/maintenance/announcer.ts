import type { Agent } from '@switchyard/agent';
import { type AgentAnnouncement, announceEveryMs, type Registry } from '@switchyard/store';
import type { Emit } from '../telemetry/events.ts';
import { Poller } from '../timing/timing.ts';

/** Announces to the gateways which agents this worker runs, and renews that while the worker runs. */
export class Announcer {
  readonly #registry: Registry;
  readonly #workerId: string;
  readonly #agents: readonly AgentAnnouncement[];
  readonly #poller: Poller;

  constructor(registry: Registry, workerId: string, { agents, emit }: { agents: readonly Agent[]; emit: Emit }) {
    this.#registry = registry;
    this.#workerId = workerId;
    this.#agents = agents.map(({ id, card, extendedCard, repliesWithMessage, concurrency }) => ({
      id,
      card,
      ...(extendedCard && { extendedCard }),
      repliesWithMessage,
      concurrency,
    }));
    const onError = (error: unknown): void => emit({ kind: 'error', where: 'announce', err: error });
    this.#poller = new Poller({ everyMs: announceEveryMs, run: () => this.#announce(), onError });
  }

  async start(): Promise<void> {
    await this.#announce();
    this.#poller.start();
  }

  async stop(): Promise<void> {
    await this.#poller.stop();
    await this.#registry.withdraw(this.#agents, this.#workerId);
  }

  #announce(): Promise<void> {
    return this.#registry.announce(this.#agents, this.#workerId);
  }
}
