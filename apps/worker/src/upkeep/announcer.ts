import type { Agent } from '@switchyard/agent';
import { type AgentAnnouncement, announceEveryMs, type Registry } from '@switchyard/store';
import type { Observe } from '../telemetry/events.ts';

/** Tells the gateways which agents this worker can run, again and again while it lives. */
export class Announcer {
  readonly #registry: Registry;
  readonly #workerId: string;
  readonly #agents: readonly AgentAnnouncement[];
  readonly #observe: Observe;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    registry: Registry,
    workerId: string,
    { agents, observe }: { agents: readonly Agent[]; observe: Observe },
  ) {
    this.#registry = registry;
    this.#workerId = workerId;
    this.#agents = agents.map(({ id, card, extendedCard, repliesWithMessage, concurrency }) => ({
      id,
      card,
      ...(extendedCard && { extendedCard }),
      repliesWithMessage,
      concurrency,
    }));
    this.#observe = observe;
  }

  async start(): Promise<void> {
    await this.#announce();
    this.#timer = setInterval(() => {
      this.#announce().catch((error: unknown) => this.#observe({ kind: 'trouble', where: 'announce', error }));
    }, announceEveryMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#registry.withdraw(this.#agents, this.#workerId);
  }

  #announce(): Promise<void> {
    return this.#registry.announce(this.#agents, this.#workerId);
  }
}
