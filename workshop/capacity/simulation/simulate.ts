import { Chance } from './engine/chance.ts';
import { Clock } from './engine/clock.ts';
import { Places } from './engine/places.ts';
import { Station } from './engine/station.ts';
import { History } from './history.ts';
import { Scaler, type ScalerSettings } from './scaler.ts';
import type { Scenario } from './scenario.ts';

/** A shard: its master, and the places that all workers together have for its jobs. */
interface Shard {
  readonly master: Station;
  readonly turns: Places;
  busyBefore: number;
}

/** Lets a deployment of the scenario live, event by event, and tells what was seen. The same seed, the same history. */
export function simulate(scenario: Scenario): History {
  const simulation = new Simulation(scenario);
  simulation.run();
  return simulation.history;
}

class Simulation {
  readonly history = new History();
  readonly #scenario: Scenario;
  readonly #clock = new Clock();
  readonly #chance: Chance;
  readonly #gateways: readonly Station[];
  readonly #shards: readonly Shard[];
  /** One for each worker: a process of one core. Jobs go to whichever is free. */
  readonly #processors: Station;
  /** The shard of each busy context. */
  readonly #hot: readonly number[];
  #workers: number;

  constructor(scenario: Scenario) {
    const { seed, gateways, shards, workers, hot } = scenario;
    this.#scenario = scenario;
    this.#chance = new Chance(seed);
    this.#workers = workers;
    this.#gateways = Array.from({ length: gateways }, () => new Station(this.#clock));
    this.#shards = Array.from({ length: shards }, () => ({
      master: new Station(this.#clock),
      turns: new Places(this.#placesOfShard()),
      busyBefore: 0,
    }));
    this.#processors = new Station(this.#clock, workers);
    this.#hot = Array.from({ length: hot.contexts }, () => this.#chance.below(shards));
  }

  run(): void {
    const { seconds, failOver, scaler } = this.#scenario;
    this.#arrive();
    this.#observe();
    if (failOver) this.#clock.after(failOver.at, () => this.#shards[failOver.shard]?.master.stopFor(failOver.seconds));
    if (scaler) this.#scale(scaler, new Scaler(scaler));
    this.#clock.run(seconds);
  }

  /** Clients know nothing of each other: arrivals are a Poisson process, whose rate changes from time to time. */
  #arrive(): void {
    const { arrivals } = this.#scenario;
    const most = Math.max(...arrivals.map(({ perSecond }) => perSecond));
    const next = (): void => {
      // Drawn at the highest rate; at lower ones some do not come.
      const { perSecond = 0 } = arrivals.findLast(({ from }) => from <= this.#clock.now) ?? {};
      if (this.#chance.happens(perSecond / most)) {
        this.history.send(this.#clock.now);
        this.#send(this.#shardOfTask(), this.#clock.now);
      }
      this.#clock.after(this.#chance.exponential(1 / most), next);
    };
    this.#clock.after(this.#chance.exponential(1 / most), next);
  }

  #shardOfTask(): number {
    const { hot, shards } = this.#scenario;
    const context = this.#chance.happens(hot.share) ? this.#hot[this.#chance.below(hot.contexts)] : undefined;
    return context ?? this.#chance.below(shards);
  }

  /** @param isRetry the task is there already: the answer is all that is missing */
  #send(shardNumber: number, sentAt: number, isRetry = false): void {
    const { costs, networkSeconds, storeTimeoutSeconds, retryAfterSeconds } = this.#scenario;
    const [gateway, shard] = [this.#gateways[this.#chance.below(this.#gateways.length)], this.#shards[shardNumber]];
    if (!gateway || !shard) throw new Error(`there is no shard ${shardNumber}`);
    gateway.serve(this.#chance.exponential(costs.acceptAtGateway), () =>
      shard.master.serve(this.#chance.exponential(costs.acceptAtRedis), () => {
        const took = this.#clock.now - sentAt + networkSeconds;
        if (!isRetry) this.#run(shard);
        if (took <= storeTimeoutSeconds) return this.history.accept(sentAt, took);
        this.history.refused++;
        const late = Math.max(0, sentAt + storeTimeoutSeconds + retryAfterSeconds - this.#clock.now);
        this.#clock.after(late, () => this.#send(shardNumber, this.#clock.now, true));
      }),
    );
  }

  /** A job: it waits for a place, begins its turn, works and waits for its model, and writes what came of it. */
  #run({ master, turns }: Shard): void {
    const { costs, turnSeconds } = this.#scenario;
    const half = costs.completeAtRedis / 2;
    turns.take(() =>
      master.serve(this.#chance.exponential(half), () =>
        this.#processors.serve(this.#chance.exponential(costs.completeAtWorker), () =>
          this.#clock.after(this.#chance.exponential(turnSeconds), () =>
            master.serve(this.#chance.exponential(half), () => {
              this.history.completed++;
              turns.leave();
            }),
          ),
        ),
      ),
    );
  }

  #scale(settings: ScalerSettings, scaler: Scaler): void {
    const look = (): void => {
      const wanted = scaler.decide(this.#clock.now, this.#jobs());
      this.#clock.after(wanted > this.#workers ? settings.startSeconds : 0, () => this.#resize(wanted));
      this.#clock.after(settings.pollSeconds, look);
    };
    this.#clock.after(settings.pollSeconds, look);
  }

  #resize(workers: number): void {
    this.#workers = workers;
    this.#processors.resize(workers);
    for (const { turns } of this.#shards) turns.resize(this.#placesOfShard());
  }

  #placesOfShard(): number {
    const { concurrency, shards } = this.#scenario;
    return this.#workers * Math.ceil(concurrency / shards);
  }

  #jobs(): { waiting: number; active: number } {
    const sum = (value: (shard: Shard) => number): number =>
      this.#shards.reduce((total, shard) => total + value(shard), 0);
    return { waiting: sum(({ turns }) => turns.waiting), active: sum(({ turns }) => turns.taken) };
  }

  #observe(): void {
    this.#clock.after(1, () => {
      const busy = this.#shards.map((shard) => shard.master.busySeconds - shard.busyBefore);
      for (const shard of this.#shards) shard.busyBefore = shard.master.busySeconds;
      const busiestShard = Math.max(...busy);
      const places = this.#placesOfShard() * this.#shards.length;
      this.history.endSecond({ ...this.#jobs(), workers: this.#workers, places, busiestShard });
      this.#observe();
    });
  }
}
