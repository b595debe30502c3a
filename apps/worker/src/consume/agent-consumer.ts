import type { Agent } from '@switchyard/agent';
import { type Consumer, queueName, type Registry, type TurnJob } from '@switchyard/store';
import type { Drainable } from './drain.ts';

/**
 * Takes the turns of an agent from its own queue, and from those of its skills. If a skill no longer has a queue, the
 * tasks that are left there go on, one turn at a time.
 */
export class AgentConsumer implements Drainable {
  readonly agent: Agent;
  readonly #consume: (queue: string, concurrency: number) => Consumer<TurnJob>;
  readonly #registry: Pick<Registry, 'find'>;
  #skillQueues: Readonly<Record<string, number>> = {};
  #consumers: readonly Consumer<TurnJob>[] = [];

  constructor(
    agent: Agent,
    consume: (queue: string, concurrency: number) => Consumer<TurnJob>,
    registry: Pick<Registry, 'find'>,
  ) {
    this.agent = agent;
    this.#consume = consume;
    this.#registry = registry;
  }

  /** As announced. Complete after `start`. */
  get skillQueues(): Readonly<Record<string, number>> {
    return this.#skillQueues;
  }

  get running(): number {
    return this.#consumers.reduce((sum, { running }) => sum + running, 0);
  }

  async start(): Promise<void> {
    const { id, concurrency, skillConcurrency } = this.agent;
    const before = Object.keys((await this.#registry.find(id))?.skillQueues ?? {});
    this.#skillQueues = { ...Object.fromEntries(before.map((skill) => [skill, 0])), ...skillConcurrency };
    const ofSkills = Object.entries(this.#skillQueues).map(([skill, concurrency]) =>
      this.#consume(queueName(id, skill), Math.max(1, concurrency)),
    );
    this.#consumers = [this.#consume(queueName(id), concurrency), ...ofSkills];
    await Promise.all(this.#consumers.map((consumer) => consumer.start()));
  }

  async pause(): Promise<void> {
    await Promise.all(this.#consumers.map((consumer) => consumer.pause()));
  }

  async resume(): Promise<void> {
    await Promise.all(this.#consumers.map((consumer) => consumer.resume()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#consumers.map((consumer) => consumer.stop()));
  }
}
