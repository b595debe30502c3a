import type { JobCounts } from '../queue/queues.ts';
import type { OpsPort } from './ops-port.ts';

/** An agent and its queue. */
export interface AgentReading extends JobCounts {
  readonly id: string;
  /** Workers that are alive and can run it. */
  readonly workers: number;
  readonly paused: boolean;
}

/** All agents that were ever announced, and their queues. */
export class Agents {
  readonly #port: OpsPort;

  constructor(port: OpsPort) {
    this.#port = port;
  }

  /** By id. */
  async list(): Promise<AgentReading[]> {
    const announced = await this.#port.registry.list();
    return Promise.all(announced.map(({ id, workers }) => this.#read(id, workers)));
  }

  /** Its messages are accepted, and wait. Running turns go on. @returns undefined: no such agent */
  pause(id: string): Promise<AgentReading | undefined> {
    return this.#change(id, () => this.#port.queue.pause(id));
  }

  /** @returns undefined: no such agent */
  resume(id: string): Promise<AgentReading | undefined> {
    return this.#change(id, () => this.#port.queue.resume(id));
  }

  async #change(id: string, change: () => Promise<void>): Promise<AgentReading | undefined> {
    const agent = (await this.#port.registry.list()).find((each) => each.id === id);
    if (!agent) return undefined;
    await change();
    return this.#read(id, agent.workers);
  }

  async #read(id: string, workers: number): Promise<AgentReading> {
    const { queue } = this.#port;
    const [paused, counts] = await Promise.all([queue.isPaused(id), queue.counts(id)]);
    return { id, workers, paused, ...counts };
  }
}
