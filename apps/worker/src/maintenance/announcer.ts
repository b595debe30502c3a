import type { Agent } from '@switchyard/agent';
import { type AgentAnnouncement, type AnnouncedLimits, announceEveryMs, type Registry } from '@switchyard/store';
import type { AgentConsumer } from '../consume/agent-consumer.ts';
import type { Emit } from '../telemetry/events.ts';
import { Poller } from '../timing/timing.ts';

/** Announces to the gateways which agents this worker runs, and repeats that while the worker runs. */
export class Announcer {
  readonly #registry: Registry;
  readonly #workerId: string;
  readonly #consumers: readonly AgentConsumer[];
  readonly #poller: Poller;

  constructor(
    registry: Registry,
    workerId: string,
    { consumers, emit }: { consumers: readonly AgentConsumer[]; emit: Emit },
  ) {
    this.#registry = registry;
    this.#workerId = workerId;
    this.#consumers = consumers;
    const onError = (error: unknown): void => emit({ kind: 'error', where: 'announce', err: error });
    this.#poller = new Poller({ everyMs: announceEveryMs, run: () => this.#announce(), onError });
  }

  async start(): Promise<void> {
    await this.#announce();
    this.#poller.start();
  }

  /** @param gone agents whose announcement is removed, unless another worker runs them */
  async stop(gone: readonly string[]): Promise<void> {
    await this.#poller.stop();
    await this.#registry.withdraw(this.#consumers.map(announcementOf), this.#workerId);
    await Promise.all(gone.map((agent) => this.#registry.forget(agent)));
  }

  #announce(): Promise<void> {
    return this.#registry.announce(this.#consumers.map(announcementOf), this.#workerId);
  }
}

/** The current announcement: the card of an agent that runs elsewhere may have changed. */
function announcementOf({ agent, skillQueues }: AgentConsumer): AgentAnnouncement {
  const { id, card, extendedCard, repliesWithMessage, concurrency, whileWorking, inputSchema, limits } = agent;
  const { priority = 'normal', timeToLiveMs } = agent;
  const hasSkillQueues = Object.keys(skillQueues).length > 0;
  return {
    id,
    card,
    ...(extendedCard && { extendedCard }),
    repliesWithMessage,
    concurrency,
    ...(hasSkillQueues && { skillQueues }),
    ...(inputSchema && { inputSchema }),
    ...(whileWorking !== 'queue' && { whileWorking }),
    ...(priority !== 'normal' && { priority }),
    ...(timeToLiveMs !== undefined && { timeToLiveMs }),
    ...(limits && { limits: announced(limits) }),
  };
}

function announced({ runningPer: _, ...limits }: NonNullable<Agent['limits']>): AnnouncedLimits {
  return limits;
}
