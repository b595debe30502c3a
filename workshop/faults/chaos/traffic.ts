import { setTimeout as delay } from 'node:timers/promises';
import { SeededRandom } from '../../statistics.ts';
import { type Pushes, playScenario } from '../workload/play-scenario.ts';
import { type Gateways, ResilientClient, type Retry } from '../workload/resilient-client.ts';
import { createScenario, scenarioKinds } from '../workload/scenario.ts';
import { machineMs, type Violation } from '../workload/violations.ts';

export interface TrafficOptions {
  readonly gateways: Gateways;
  readonly onRetry?: (retry: Retry) => void;
  readonly clients: number;
  readonly seed: number;
  /** Least tasks of a run. */
  readonly tasks: number;
  readonly mayLoseEvents: boolean;
  readonly pushes: Pushes;
  readonly log: (line: string) => void;
}

/** Clients that play scenarios, one after the other. */
export class Traffic {
  readonly violations: Violation[] = [];
  /** When a client saw the end of a task, by `machineMs`. */
  readonly endedMs = new Map<string, number>();
  played = 0;
  resumed = 0;
  readonly #options: TrafficOptions;
  #begun = 0;
  #isOver = false;

  constructor(options: TrafficOptions) {
    this.#options = options;
  }

  /** Goes on until all faults are injected and there were tasks enough. */
  async runUntil(injected: Promise<unknown>): Promise<void> {
    const clients = Array.from({ length: this.#options.clients }, (_, n) => this.#client(n));
    await injected;
    while (this.played < this.#options.tasks) await delay(200);
    this.#isOver = true;
    await Promise.all(clients);
  }

  async #client(n: number): Promise<void> {
    const { gateways, onRetry, seed, mayLoseEvents, pushes, log } = this.#options;
    // Of its own, so that what one client does depends on the seed alone and not on how fast the others are.
    const random = new SeededRandom(seed * 1_000 + n);
    const client = new ResilientClient(gateways, n, onRetry);
    while (!this.#isOver) {
      const key = `s${seed}.${n}.${this.#begun++}`;
      const scenario = createScenario(random.pick(scenarioKinds), key, {
        size: random.between(1, 6) * random.between(1, 4),
        watches: random.pick(['sse', 'sse', 'grpc', 'not', 'not']),
        isPushed: random.next() < 0.25,
      });
      const onEnded = (taskId: string): void => void this.endedMs.set(taskId, machineMs());
      const { violations, resumed } = await playScenario(client, scenario, { pushes, mayLoseEvents, onEnded });
      this.violations.push(...violations);
      for (const { kind, what } of violations) log(`     VIOLATION  ${kind}: ${what}`);
      this.resumed += resumed;
      this.played++;
    }
  }
}
